#!/usr/bin/env node
/** What runs in the pods of the operator, as a program: `etcd-agent`. */
import { main } from '@ecsm/command-line';
import { agentProgram } from './agent-program.ts';

// A signal ends the job, and its result says so.
void main(agentProgram, { handleSignals: false });
