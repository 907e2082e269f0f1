import { authority } from './authority.suite.ts';

authority('on our API server', async () => ({}));
