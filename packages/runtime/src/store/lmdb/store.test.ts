import { storeConformance } from '../conformance.suite.ts';
import { lmdbHarness } from '../stores.kit.ts';

storeConformance('lmdb', lmdbHarness);
