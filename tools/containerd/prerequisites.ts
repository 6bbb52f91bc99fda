import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { BUSYBOX_PATH } from './build-image.ts';
import { CNI_BIN_DIRECTORY } from './layout.ts';
import { isExecutable } from './is-executable.ts';

const CAP_SYS_ADMIN = 21n;
const SBIN = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/**
 * Folder of another containerd than the machine's, in which its package is unpacked (`dpkg -x`): the environment variable `RXLET_TEST_CONTAINERD`. Its runc, if any, is not
 * used.
 */
export function otherContainerd(): string | undefined {
  return process.env['RXLET_TEST_CONTAINERD'] || undefined;
}

/**
 * Search path of containerd and its programs: those of another containerd, the caller's, and the sbin folders that a user's path may lack.
 */
export function searchPath(): string {
  const other = otherContainerd();
  const own = other === undefined ? [] : [join(other, 'usr/bin')];
  return [...own, ...(process.env['PATH'] ?? '').split(delimiter), ...SBIN].filter(Boolean).join(delimiter);
}

/** Returns the major version of containerd. @throws Error when it does not report one */
export function containerdMajorVersion(): number {
  const output = execFileSync('containerd', ['--version'], { encoding: 'utf8', env: { PATH: searchPath() } });
  const major = /\sv?(\d+)\.\d+\.\d+/.exec(output)?.[1];
  if (major === undefined) throw new Error(`containerd reports no version: ${output}`);
  return Number(major);
}

/** Returns one line why no private containerd can be started here (for a skipped test); `undefined` if it can. */
export function containerdUnavailable(): string | undefined {
  if (process.platform !== 'linux') return `containerd needs Linux, this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'containerd needs root';
  if (!hasCapability(CAP_SYS_ADMIN))
    return 'containerd needs CAP_SYS_ADMIN (is this a container that is not privileged?)';

  const programs = ['containerd', 'ctr', 'runc', 'containerd-shim-runc-v2', 'ip', 'iptables', 'setpriv', 'umount'];
  const missing = [
    ...programs.filter(
      (name) =>
        !searchPath()
          .split(delimiter)
          .some((folder) => isExecutable(join(folder, name))),
    ),
    ...['bridge', 'host-local', 'loopback', 'portmap'].map((name) => join(CNI_BIN_DIRECTORY, name)).filter(isMissing),
    ...[BUSYBOX_PATH].filter(isMissing),
  ];
  if (missing.length === 0) return undefined;
  return `not found: ${missing.join(', ')} (Debian: apt-get install containerd runc containernetworking-plugins busybox-static iproute2 iptables)`;
}

function isMissing(path: string): boolean {
  return !isExecutable(path);
}

function hasCapability(bit: bigint): boolean {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  return (BigInt(`0x${effective}`) & (1n << bit)) !== 0n;
}
