import { open } from 'node:fs/promises';
import { type Clock, errorMessage, type Logger } from '@rxlet/component-base';
import { goQuote } from '@rxlet/component-base/go';
import { type ProgramResult, runProgram } from '../mount/run-program.ts';
import type { FileSystems } from './file-systems.ts';

/** Ports of {@link createFileSystemPrograms}. */
export interface FileSystemProgramsPorts {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A look at a device takes no longer, unless its disk is broken. */
const LOOK_TIMEOUT_MS = 120_000;
/** Large disks take their time. */
const CHANGE_TIMEOUT_MS = 3_600_000;
/** Of blkid(8): the device has nothing that it knows. */
const NOTHING_FOUND = 'exit status 2';
/** Of fsck(8): errors are left. */
const NOT_CORRECTED = 'exit status 4';
/** Of fsck(8): all errors were corrected. */
const CORRECTED = 'exit status 1';
/** Type of a device with partitions, which is never formatted. */
const PARTITIONS = 'unknown data, probably partitions';

/** Creates {@link FileSystems} that run blkid(8), fsck(8), mkfs(8), resize2fs(8), xfs_growfs(8) and btrfs(8). Messages are the kubelet's. */
export function createFileSystemPrograms({ clock, logger }: FileSystemProgramsPorts): FileSystems {
  const run = async (program: string, args: readonly string[], timeoutMs: number): Promise<ProgramResult> =>
    runProgram(clock, { program, arguments: args, timeoutMs }).result;

  /** Returns the type of a device's content; `undefined` for none. */
  const typeOf = async (device: string): Promise<string | undefined> => {
    try {
      await checkReadable(device);
      const args = ['-p', '-s', 'TYPE', '-s', 'PTTYPE', '-o', 'export', '--', device];
      const { failure, output } = await run('blkid', args, LOOK_TIMEOUT_MS);
      if (failure === NOTHING_FOUND) return undefined;
      if (failure !== undefined) throw new Error(`${failure}: ${output}`);
      return contentType(output);
    } catch (error) {
      throw new Error(`failed to get disk format of disk ${device}: ${errorMessage(error)}`, { cause: error });
    }
  };

  const format = async (device: string, type: string): Promise<void> => {
    const args = [...formatOptions(type), device];
    logger.info('formatting a disk without content', { device, type });
    const { failure, output } = await run(`mkfs.${checkType(type)}`, args, CHANGE_TIMEOUT_MS);
    if (failure === undefined) return;
    const result = `errcode:(${failure}) output:(${output})`;
    throw new Error(`format of disk ${goQuote(device)} failed: type:(${goQuote(type)}) ${result}`);
  };

  const check = async (device: string): Promise<void> => {
    let failure: string | undefined;
    let output = '';
    try {
      ({ failure, output } = await run('fsck', ['-a', device], CHANGE_TIMEOUT_MS));
    } catch (error) {
      // As in the kubelet, a node without the program mounts what it finds.
      logger.warn('cannot check a disk before it is mounted', { device, error: errorMessage(error) });
    }
    if (failure === NOT_CORRECTED)
      throw new Error(`'fsck' found errors on device ${device} but could not correct them: ${output}.`);
    if (failure === CORRECTED) logger.info('repaired a disk', { device });
    else if (failure !== undefined) logger.info('fsck failed', { device, cause: `${failure}: ${output}` });
  };

  return {
    async prepare(device, { type, readOnly }) {
      const present = await typeOf(device);
      if (present === undefined) {
        if (readOnly)
          throw new Error(`cannot mount unformatted disk ${device} as we are manipulating it in read-only mode`);
        return format(device, type);
      }
      if (present !== type) logger.warn('a disk has another file system than the volume', { device, type, present });
      if (!readOnly) await check(device);
    },
    async grow(device, mountPath) {
      const [program, ...args] = growCommand((await typeOf(device)) ?? '', device, mountPath);
      const { failure, output } = await run(program, args, CHANGE_TIMEOUT_MS);
      if (failure !== undefined)
        throw new Error(`resize of device ${device} failed: ${failure}. ${program} output: ${output}`);
    },
  };
}

/** A device that cannot be read looks empty to blkid(8), and must never be formatted. */
async function checkReadable(device: string): Promise<void> {
  await using file = await open(device, 'r');
  await file.read(Buffer.alloc(4_096), 0, 4_096, 0);
}

/** Returns the type in the output of blkid(8). */
function contentType(output: string): string {
  const values = new Map(output.split('\n').map((line) => line.split('=') as [string, string | undefined]));
  if (values.get('PTTYPE')) return PARTITIONS;
  const type = values.get('TYPE');
  if (type) return type;
  throw new Error(`blkid returns invalid output: ${output}`);
}

function formatOptions(type: string): readonly string[] {
  if (type === 'ext3' || type === 'ext4') return ['-F', '-m0'];
  return type === 'xfs' ? ['-f'] : [];
}

/** The type is part of the name of a program. */
function checkType(type: string): string {
  if (!/^[a-z0-9][a-z0-9_-]*$/.test(type)) throw new Error(`${goQuote(type)} is not a type of a file system`);
  return type;
}

function growCommand(type: string, device: string, mountPath: string): readonly [string, ...string[]] {
  switch (type) {
    case 'ext3':
    case 'ext4':
      return ['resize2fs', device];
    case 'xfs':
      return ['xfs_growfs', '-d', mountPath];
    case 'btrfs':
      return ['btrfs', 'filesystem', 'resize', 'max', mountPath];
    default:
      throw new Error(
        `ResizeFS.Resize - resize of format ${type} is not supported for device ${device} mounted at ${mountPath}`,
      );
  }
}
