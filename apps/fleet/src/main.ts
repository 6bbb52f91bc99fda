import process from 'node:process';
import { runCommand } from '@rxlet/component-base/command';
import { run } from './run.ts';

// The bundle is CommonJS, which has no top-level await.
void runCommand('rxlet-fleet', process, run);
