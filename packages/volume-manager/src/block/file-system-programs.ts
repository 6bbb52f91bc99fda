import { type Clock, errorMessage, type Logger } from '@rxlet/component-base';
import { goQuote } from '@rxlet/component-base/go';
import { runProgram } from '../mount/run-program.ts';
import type { FileSystems } from './file-systems.ts';
import { runLastingProgram } from './lasting-program.ts';

/** Ports of {@link createFileSystemPrograms}. */
export interface FileSystemProgramsPorts {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A look at a device takes no longer, unless its disk is broken. */
const LOOK_TIMEOUT_MS = 120_000;
const MIB = 1 << 20;
/** Part at the beginning and at the end of a device that blkid(8) looks at, and more. */
const READ_MIB = 4;
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
  /** Devices with a program that did not end in time, because the disk does not answer. */
  const hanging = new Set<string>();

  /** Runs a program that looks at a device, and returns its output. Not in this process: a disk that does not answer would hold one of its few threads for ever. */
  const look = async (device: string, program: string, args: readonly string[], none?: string): Promise<string> => {
    if (hanging.has(device)) throw new Error('the disk has not answered an earlier program');
    const { result, ended } = runProgram(clock, { program, arguments: args, timeoutMs: LOOK_TIMEOUT_MS });
    hanging.add(device);
    void ended.then(() => hanging.delete(device));
    const { failure, output } = await result;
    if (failure === undefined) return output;
    if (failure === none) return '';
    throw new Error(`${program}: ${failure}: ${output}`);
  };

  /** Returns the type of a device's content; empty for none. */
  const typeOf = async (device: string): Promise<string> => {
    try {
      const args = ['-p', '-s', 'TYPE', '-s', 'PTTYPE', '-o', 'export', '--', device];
      const type = contentType(await look(device, 'blkid', args, NOTHING_FOUND));
      if (type === '') await checkReadable(device);
      return type;
    } catch (error) {
      throw new Error(`failed to get disk format of disk ${device}: ${errorMessage(error)}`, { cause: error });
    }
  };
  /** A disk that cannot be read looks empty to blkid(8), and must never be formatted. */
  const checkReadable = async (device: string): Promise<void> => {
    const size = Number(await look(device, 'blockdev', ['--getsize64', device]));
    const args = [`if=${device}`, 'of=/dev/null', `bs=${String(MIB)}`, 'status=none'];
    await look(device, 'dd', [...args, `count=${String(READ_MIB)}`]);
    const last = Math.floor(size / MIB) - READ_MIB;
    if (last > 0) await look(device, 'dd', [...args, `skip=${String(last)}`]);
  };

  const format = async (device: string, type: string): Promise<void> => {
    const args = [...formatOptions(type), device];
    logger.info('formatting a disk without content', { device, type });
    const { failure, output } = await runLastingProgram(`mkfs.${checkType(type)}`, args);
    if (failure === undefined) return;
    const result = `errcode:(${failure}) output:(${output})`;
    throw new Error(`format of disk ${goQuote(device)} failed: type:(${goQuote(type)}) ${result}`);
  };

  const check = async (device: string): Promise<void> => {
    const { failure, output } = await runLastingProgram('fsck', ['-a', device]).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // As in the kubelet, a node without the program mounts what it finds.
      logger.warn('cannot check a disk before it is mounted', { device, error: errorMessage(error) });
      return { failure: undefined, output: '' };
    });
    if (failure === NOT_CORRECTED)
      throw new Error(`'fsck' found errors on device ${device} but could not correct them: ${output}.`);
    if (failure === CORRECTED) logger.info('repaired a disk', { device });
    else if (failure !== undefined) logger.info('fsck failed', { device, cause: `${failure}: ${output}` });
  };

  return {
    async prepare(device, { type, readOnly }) {
      const present = await typeOf(device);
      if (present === '') {
        if (readOnly)
          throw new Error(`cannot mount unformatted disk ${device} as we are manipulating it in read-only mode`);
        return format(device, type);
      }
      if (present !== type) logger.warn('a disk has another file system than the volume', { device, type, present });
      if (!readOnly) await check(device);
    },
    async grow(device, mountPath) {
      const type = await typeOf(device);
      if (type === '') return;
      const [program, ...args] = growCommand(type, device, mountPath);
      const { failure, output } = await runLastingProgram(program, args);
      if (failure !== undefined)
        throw new Error(`resize of device ${device} failed: ${failure}. ${program} output: ${output}`);
    },
  };
}

/** Returns the type in the output of blkid(8); empty for none, as for a partition without content. */
function contentType(output: string): string {
  const lines = output.split('\n').filter((line) => line !== '');
  const values = new Map(lines.map((line) => line.split('=') as [string, string | undefined]));
  if (lines.some((line) => line.split('=').length !== 2)) throw new Error(`blkid returns invalid output: ${output}`);
  return values.get('PTTYPE') ? PARTITIONS : (values.get('TYPE') ?? '');
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
