#!/usr/bin/env node
/** The operator as a program: `etcd-operator`. */
import { main } from '@ecsm/command-line';
import { program } from './program.ts';

// `run` stops in order at a signal, and then ends with 0.
void main(program, { handleSignals: false });
