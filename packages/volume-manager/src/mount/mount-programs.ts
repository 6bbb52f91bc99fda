import { readFileSync } from 'node:fs';
import { type Clock, errorMessage, withDeadline } from '@rxlet/component-base';
import { INHERITED_DESCRIPTOR, mountArguments, unmountArguments } from './mount-arguments.ts';
import { formatMountList, isMemoryMount, type MemoryMount, openUnnamedFile } from './mount-list.ts';
import { parseMountInfo } from './mount-table.ts';
import { createMountTogether } from './mount-together.ts';
import { MountError, type Mounter, type MountRequest } from './mounter.ts';
import { type ProgramResult, type ProgramRun, runProgram } from './run-program.ts';

/** Options of {@link createMountPrograms}. */
export interface MountProgramsOptions {
  /** Longest time that a mount or unmount may take. Default two minutes. */
  readonly timeoutMs?: number | undefined;
}

/** Creates a {@link Mounter} that runs mount(8) and umount(8) of util-linux and reads the kernel's mount table. */
export function createMountPrograms(
  { clock }: { readonly clock: Clock },
  { timeoutMs = 120_000 }: MountProgramsOptions = {},
): Mounter {
  /** Paths with a program that did not end in time. It may still succeed, so no other is started for the path. */
  const hanging = new Set<string>();

  const run = async (targets: readonly string[], program: Omit<ProgramRun, 'timeoutMs'>, signal?: AbortSignal) => {
    const hung = targets.find((target) => hanging.has(target));
    if (hung !== undefined)
      throw new MountError(`${program.program} ${hung}: an earlier mount or unmount of this path has not ended`);
    const { result, ended } = runProgram(clock, { ...program, timeoutMs }, signal);
    for (const target of targets) hanging.add(target);
    void ended.then(() => targets.forEach((target) => hanging.delete(target)));
    try {
      return await result;
    } catch (error) {
      signal?.throwIfAborted();
      const paths = targets.join(' ');
      throw new MountError(`${program.program} ${paths} failed: ${errorMessage(error)}`, { cause: error });
    }
  };

  const mountOne = async (request: MountRequest, signal?: AbortSignal): Promise<void> => {
    const { source, target } = request;
    const args = mountArguments(request);
    const descriptor = typeof source === 'string' ? undefined : source.descriptor;
    const { failure, output } = await run([target], { program: 'mount', arguments: args, descriptor }, signal);
    if (failure !== undefined) throw mountFailure(args, failure, output);
  };

  /** Mounts what is in a list and not mounted. Returns how the program failed. */
  const mountListed = async (requests: readonly MemoryMount[]): Promise<ProgramResult | undefined> => {
    using list = openUnnamedFile(formatMountList(requests));
    if (list === undefined) return undefined;
    const { descriptor } = list;
    const targets = requests.map(({ target }) => target);
    return await run(targets, { program: 'mount', arguments: LISTED, descriptor });
  };

  const mountTogether = createMountTogether(async (requests) => {
    const result = requests.length === 1 ? undefined : await mountListed(requests).catch(() => undefined);
    if (result !== undefined && result.failure === undefined) return [];
    // The output does not show which of them have failed. What is mounted already is left alone.
    return Promise.all(
      requests.map(async (request) => {
        try {
          const alone = result === undefined ? undefined : await mountListed([request]);
          if (alone === undefined) await mountOne(request);
          else if (alone.failure !== undefined)
            return mountFailure(mountArguments(request), alone.failure, alone.output);
          return undefined;
        } catch (error) {
          return error instanceof Error ? error : new Error(errorMessage(error));
        }
      }),
    );
  });

  return {
    async mount(request, signal) {
      signal?.throwIfAborted();
      if (!isMemoryMount(request)) return mountOne(request, signal);
      // Checks the request before it is in a list with others.
      mountArguments(request);
      await withDeadline(clock, Infinity, signal, (aborted) => mountTogether(request, aborted));
    },
    async unmount(target, options = {}, signal) {
      const args = unmountArguments(target, options);
      const { failure, output } = await run([target], { program: 'umount', arguments: args }, signal);
      if (failure === undefined) return;
      throw new MountError(`unmount failed: ${failure}\nUnmounting arguments: ${target}\nOutput: ${output}\n`);
    },
    problem: () => (process.geteuid?.() === 0 ? undefined : 'the agent does not run as root'),
    // The kernel answers in pieces of a page at once; a detour through the thread pool for each takes many times as long.
    mounts: async () => parseMountInfo(readFileSync('/proc/self/mountinfo', 'utf8')),
  };
}

/** Arguments of mount(8) for the list in the inherited file. */
const LISTED = ['--all', '--fstab', `/proc/self/fd/${String(INHERITED_DESCRIPTOR)}`];

function mountFailure(args: readonly string[], failure: string, output: string): MountError {
  return new MountError(
    `mount failed: ${failure}\nMounting command: mount\nMounting arguments: ${args.join(' ')}\nOutput: ${output}\n`,
  );
}
