import { storeConformance } from '../conformance.suite.ts';
import { memoryHarness } from '../stores.kit.ts';

storeConformance('memory', memoryHarness);
