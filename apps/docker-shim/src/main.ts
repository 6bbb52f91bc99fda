import process from 'node:process';
import { runCommand } from '@rxlet/component-base/command';
import { run } from './run.ts';

const environment = Object.fromEntries(
  Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
);
// The bundle is CommonJS, which has no top-level await.
void runCommand('docker-shim', process, (args, io) => run(args, { ...io, environment }));
