import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { errorMessage } from '@rxlet/component-base';
import type { RuntimeService } from '@rxlet/cri-api';
import { isSwapOn, parseCgroupMounts } from '@rxlet/machine';
import type { HostFiles } from '@rxlet/node-files';
import type { CertificateFacts, MachineFacts, PortFacts, RuntimeFacts } from './machine-facts.ts';

/** Ports of {@link readMachineFacts}. */
export interface MachineFactsPorts {
  readonly hostFiles: Pick<HostFiles, 'list' | 'read'>;
  now(): number;
  userId(): number;
  kernelRelease(): string;
  /** Calls `use` with the configured runtime. Rejects when it does not answer. */
  withRuntime<T>(use: (runtime: Pick<RuntimeService, 'status' | 'version'>) => Promise<T>): Promise<T>;
  /** Listens on a port for a moment. @returns the code of the failure, if it fails */
  tryListen(address: string, port: number): Promise<string | undefined>;
  /** Returns the output of a program; `undefined` when it fails or does not exist. */
  run(program: string, args: readonly string[]): Promise<string | undefined>;
  /** Returns the free space of the file system of a path. */
  fileSystem(path: string): Promise<{ availableBytes: number; capacityBytes: number }>;
  hasProgram(name: string): Promise<boolean>;
  isAgentRunning(): Promise<boolean>;
  /** Time of the files of the program. */
  programTimeMs(): Promise<number>;
}

/** Places that the configuration of an agent names. */
export interface CheckedPlaces {
  readonly rootDirectory: string;
  readonly ports: readonly Omit<PortFacts, 'problem'>[];
  /** Files of certificates. A missing optional one is left out. */
  readonly certificates: readonly { readonly path: string; readonly purpose: string; readonly isOptional: boolean }[];
}

const SYSCTLS = ['net.ipv4.ip_forward', 'fs.inotify.max_user_watches'];
const PROGRAMS = ['mount', 'umount', 'flock', 'iptables'];
const CNI_FOLDER = '/etc/cni/net.d';
const MAX_FILE_BYTES = 1024 * 1024;

/** Reads the facts about this machine. What cannot be read is left unknown. */
export async function readMachineFacts(ports: MachineFactsPorts, places: CheckedPlaces): Promise<MachineFacts> {
  const { hostFiles } = ports;
  const read = async (path: string): Promise<string | undefined> => {
    const file = await hostFiles.read(path, MAX_FILE_BYTES).catch(() => undefined);
    return file === undefined ? undefined : Buffer.from(file.bytes).toString();
  };
  const sysctls = await Promise.all(
    SYSCTLS.map(async (name) => [name, (await read(`/proc/sys/${name.replaceAll('.', '/')}`))?.trim()] as const),
  );
  const missing = await Promise.all(PROGRAMS.map(async (name) => ((await ports.hasProgram(name)) ? [] : [name])));
  const disk = await ports.fileSystem(places.rootDirectory).catch(() => undefined);
  return {
    nowMs: ports.now(),
    userId: ports.userId(),
    kernelRelease: ports.kernelRelease(),
    sysctls: Object.fromEntries(sysctls),
    fileSystems: await read('/proc/filesystems'),
    cgroups: await readCgroups(read),
    isSwapOn: await isSwapOn(hostFiles).catch(() => undefined),
    runtime: await readRuntime(ports),
    ports: await Promise.all(
      places.ports.map(async (port) => ({ ...port, problem: await ports.tryListen(port.address, port.port) })),
    ),
    clock: { earliestMs: await ports.programTimeMs(), isSynchronized: await readSynchronization(ports) },
    certificates: (await Promise.all(places.certificates.map((each) => readCertificate(read, each)))).flat(),
    disk: disk && { path: places.rootDirectory, ...disk },
    isAgentRunning: await ports.isAgentRunning(),
    missingPrograms: missing.flat(),
  };
}

async function readCgroups(read: (path: string) => Promise<string | undefined>): Promise<MachineFacts['cgroups']> {
  const mounts = (await read('/proc/self/mounts')) ?? '';
  const { hierarchies, unified } = parseCgroupMounts(mounts);
  const isReadOnly = (type: string): boolean =>
    mounts.split('\n').some((line) => new RegExp(`^\\S+ \\S+ ${type} (?:\\S+,)?ro(?:,|\\s)`).test(line));
  // A machine with controllers in hierarchies of their own has cgroup v1, whatever else is mounted.
  const controllers = [...hierarchies.keys()].filter((name) => !name.startsWith('name='));
  if (controllers.length > 0) return { version: 1, controllers, isReadOnly: isReadOnly('cgroup') };
  if (unified === undefined) return undefined;
  const names = ((await read(join(unified, 'cgroup.controllers'))) ?? '').trim().split(/\s+/).filter(Boolean);
  return { version: 2, controllers: names, isReadOnly: isReadOnly('cgroup2') };
}

async function readRuntime(ports: MachineFactsPorts): Promise<RuntimeFacts> {
  try {
    return await ports.withRuntime(async (runtime) => {
      const { runtimeName, runtimeVersion } = await runtime.version({ version: '0.1.0' });
      const { status } = await runtime.status({});
      const listing = await ports.hostFiles.list(CNI_FOLDER).catch(() => undefined);
      return {
        kind: 'available',
        name: runtimeName,
        version: runtimeVersion,
        conditions: (status?.conditions ?? []).map(({ type, status: isTrue, message }) => ({
          type,
          status: isTrue,
          message,
        })),
        cniConfigurations: listing?.entries
          .map(({ name }) => name)
          .filter((name) => /\.(conf|conflist|json)$/.test(name)),
      };
    });
  } catch (error) {
    return { kind: 'unavailable', message: errorMessage(error) };
  }
}

async function readSynchronization(ports: MachineFactsPorts): Promise<boolean | undefined> {
  const shown = await ports.run('timedatectl', ['show', '--property=NTPSynchronized', '--value']);
  const answer = shown?.trim();
  return answer === 'yes' ? true : answer === 'no' ? false : undefined;
}

async function readCertificate(
  read: (path: string) => Promise<string | undefined>,
  { path, purpose, isOptional }: CheckedPlaces['certificates'][number],
): Promise<CertificateFacts[]> {
  const text = await read(path);
  if (text === undefined) return isOptional ? [] : [{ path, purpose, validity: { problem: 'it cannot be read' } }];
  const [pem] = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(text) ?? [];
  if (pem === undefined) return isOptional ? [] : [{ path, purpose, validity: { problem: 'it has no certificate' } }];
  try {
    const { validFromDate, validToDate } = new X509Certificate(pem);
    return [{ path, purpose, validity: { fromMs: validFromDate.getTime(), toMs: validToDate.getTime() } }];
  } catch (error) {
    return [{ path, purpose, validity: { problem: errorMessage(error) } }];
  }
}
