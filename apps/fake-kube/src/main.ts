import process from 'node:process';
import { runCommand } from '@rxlet/component-base/command';
import { run } from './run.ts';

await runCommand('fake-kube', process, run);
