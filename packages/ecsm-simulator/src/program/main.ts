#!/usr/bin/env node
/** The program `ecsm-sim`: the simulated platform. */
import { main } from '@ecsm/command-line';
import { program } from './program.ts';

// The simulator handles signals itself: it shuts down and exits with 0.
void main(program, { handleSignals: false });
