import { storage } from './storage.suite.ts';

storage('on our API server', { refuses: false }, async () => ({}));
