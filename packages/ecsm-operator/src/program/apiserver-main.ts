#!/usr/bin/env node
/** The Kubernetes API without the operator, as a program: `ecsm-apiserver`. */
import { main } from '@ecsm/command-line';
import { apiserver } from './apiserver-program.ts';

// It stops in order at a signal, and then ends with 0.
void main(apiserver, { handleSignals: false });
