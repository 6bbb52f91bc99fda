import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import type { NodeFiles } from '@rxlet/node-files';
import type { Mounter } from './mounter.ts';

/** Ports of {@link supportsNoSwap}. */
export interface NoSwapPorts {
  readonly files: Pick<NodeFiles, 'makeDirectory' | 'removeEmptyDirectory'>;
  readonly mounter: Pick<Mounter, 'mount' | 'unmount' | 'problem'>;
  /** Default: that of this machine. */
  readonly kernel?: NoSwapKernel | undefined;
}

/** Facts that decide whether tmpfs can stay out of swap. */
export interface NoSwapKernel {
  readonly version: string;
  /** Text of `/proc/self/uid_map`. */
  readonly uidMap: string;
}

/**
 * Reports whether the kernel accepts the option `noswap` of tmpfs: from version 6.4 on, outside of user namespaces. Vendors have given it to older kernels, which
 * are tried with a mount in the root directory.
 */
export async function supportsNoSwap(ports: NoSwapPorts, rootDirectory: string): Promise<boolean> {
  const { files, mounter, kernel: { version, uidMap } = { version: release(), uidMap: readUidMap() } } = ports;
  if (!/^\s*0\s+0\s+4294967295\s*$/.test(uidMap)) return false;
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  if (major > 6 || (major === 6 && minor >= 4)) return true;
  if (mounter.problem() !== undefined) return false;
  // One name, so that a kill in the middle leaves at most one directory.
  const target = `${rootDirectory}/tmpfs-noswap-test-rxlet`;
  try {
    await files.makeDirectory(target, 0o700);
    await mounter.mount({ source: 'tmpfs', target, fsType: 'tmpfs', options: ['noswap'] });
  } catch {
    return false;
  } finally {
    await mounter.unmount(target).catch(() => undefined);
    await files.removeEmptyDirectory(target).catch(() => undefined);
  }
  return true;
}

function readUidMap(): string {
  try {
    return readFileSync('/proc/self/uid_map', 'latin1');
  } catch {
    return '';
  }
}
