#!/usr/bin/env node
/** The simulated platform as a program: `ecsm-sim`. */
import { main } from '@ecsm/command-line';
import { program } from './program.ts';

// The simulator stops in order at a signal, and then ends with 0.
void main(program, { handleSignals: false });
