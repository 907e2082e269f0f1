import { survivesCrashes } from './crash-points.kit.ts';

survivesCrashes('first');
