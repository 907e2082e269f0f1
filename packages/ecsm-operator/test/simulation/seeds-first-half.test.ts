import { survivesSeeds } from './seeds.kit.ts';

survivesSeeds('first');
