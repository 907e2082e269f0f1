import { lifeCycle } from './life-cycle.suite.ts';

lifeCycle('on our API server', async () => ({}));
