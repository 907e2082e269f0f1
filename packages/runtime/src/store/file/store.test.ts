import { storeConformance } from '../conformance.suite.ts';
import { fileHarness } from '../stores.kit.ts';

storeConformance('file', fileHarness);
