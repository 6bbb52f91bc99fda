import { readdir, readFile } from 'node:fs/promises';
import { type Clock, errorMessage } from '@rxlet/component-base';
import { runProgram } from '../mount/run-program.ts';
import type { LoopDevices } from './loop-devices.ts';

/** Options of {@link createLoopPrograms}. */
export interface LoopProgramsOptions {
  /** Longest time that losetup(8) may take. Default two minutes. */
  readonly timeoutMs?: number | undefined;
}

const BLOCK_DEVICES = '/sys/block';

/** Creates {@link LoopDevices} that run losetup(8) of util-linux and find loop devices in sysfs. */
export function createLoopPrograms(
  { clock }: { readonly clock: Clock },
  { timeoutMs = 120_000 }: LoopProgramsOptions = {},
): LoopDevices {
  const losetup = async (args: readonly string[], signal?: AbortSignal): Promise<string> => {
    const command = `losetup ${args.join(' ')}`;
    try {
      const program = { program: 'losetup', arguments: args, timeoutMs };
      const { failure, output } = await runProgram(clock, program, signal).result;
      if (failure !== undefined) throw new Error(`${failure}: ${output}`);
      return output;
    } catch (error) {
      signal?.throwIfAborted();
      throw new Error(`${command} failed: ${errorMessage(error)}`, { cause: error });
    }
  };
  return {
    attach: async (path, signal) =>
      (await findLoopDevice(path)) ?? (await losetup(['--find', '--show', '--', path], signal)).trim(),
    async detach(path, signal) {
      const device = await findLoopDevice(path);
      if (device !== undefined) await losetup(['--detach', device], signal);
    },
  };
}

async function findLoopDevice(path: string): Promise<string | undefined> {
  const names = (await readdir(BLOCK_DEVICES)).filter((name) => name.startsWith('loop'));
  const backings = await Promise.all(names.map(readBacking));
  const index = backings.indexOf(path);
  return index === -1 ? undefined : `/dev/${names[index]!}`;
}

/** Returns the path that a loop device was created on; `undefined` for an unused one. */
async function readBacking(name: string): Promise<string | undefined> {
  try {
    const text = await readFile(`${BLOCK_DEVICES}/${name}/loop/backing_file`, 'utf8');
    // The kernel marks a file that was removed meanwhile.
    return text.trimEnd().replace(/ ?\(deleted\)$/, '');
  } catch {
    return undefined;
  }
}
