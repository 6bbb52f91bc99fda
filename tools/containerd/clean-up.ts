import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorMessage } from '@rxlet/component-base';
import { PrivateContainerdError } from './errors.ts';
import { clearNetworkRules } from './iptables.ts';
import { type Layout, MARKER, pathsOf } from './layout.ts';
import {
  attemptAll,
  environmentVariable,
  findProcesses,
  killAndWait,
  processStartTime,
  run,
  until,
} from './processes.ts';

const KILL_TIMEOUT_MS = 10_000;
const END_TIMEOUT_MS = 30_000;
/** A socket's path has at most 107 bytes, and containerd adds a second one, `containerd.sock.ttrpc`. */
const MAX_DIRECTORY_LENGTH = 80;
const NAMESPACE = 'k8s.io';
/** Folder of the shims' sockets, fixed in containerd whatever `state` is. */
const SHIM_SOCKETS = '/run/containerd/s';
/** Folder of the plugins' results, fixed in libcni. */
const CNI_CACHE = '/var/lib/cni/results';

/**
 * Removes all traces of a private containerd from the machine: its processes, containers, mounts, bridge, packet filter rules, CNI state, and its directory.
 * Works from the layout alone, so that it also works after the owner was killed. Continues after a failure, and rejects at the end with everything that could
 * not be removed.
 */
export async function cleanUp(layout: Layout): Promise<void> {
  const failures = await endEverything(layout);
  const steps = [
    () => removeBridge(layout.bridge),
    () => clearNetworkRules(layout.bridge),
    () => removeAnswers(layout.directory),
    () => removeSharedFolders(),
  ];
  failures.push(...(await attemptAll(steps)));

  const mounts = mountsBelow(layout.directory);
  // Never delete through a mount.
  if (mounts.length === 0) rmSync(layout.directory, { recursive: true, force: true, maxRetries: 3 });
  else failures.push(`still mounted: ${mounts.join(', ')}`);
  report(layout, failures);
}

/**
 * Leaves of a private containerd what a machine that loses its power keeps: its disk. Processes, containers, mounts, the network, and what is in `/run` on a machine are
 * gone. Rejects with everything that could not be removed.
 */
export async function cutPower(layout: Layout): Promise<void> {
  const failures = await endEverything(layout);
  failures.push(...(await attemptAll([() => removeBridge(layout.bridge), () => clearNetworkRules(layout.bridge)])));
  const { state, runcRoot, socket } = pathsOf(layout);
  if (mountsBelow(layout.directory).length === 0)
    for (const path of [state, runcRoot, socket]) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  else failures.push(`still mounted: ${mountsBelow(layout.directory).join(', ')}`);
  report(layout, failures);
}

/** Ends containerd and its containers, and removes their mounts, cgroups and sockets. Returns the messages of failures. */
async function endEverything(layout: Layout): Promise<string[]> {
  const paths = pathsOf(layout);
  const runcRoot = join(paths.runcRoot, NAMESPACE);
  const bundles = join(paths.state, 'io.containerd.runtime.v2.task', NAMESPACE);
  // containerd first, so that it starts nothing new.
  const failures = await attemptAll([() => endServer(paths.config), () => endHelpers(layout.directory, runcRoot)]);
  const sockets = list(bundles).flatMap((id) => shimSocket(join(bundles, id, 'address')));
  const cgroups = list(bundles).flatMap((id) => cgroupDirectories(join(bundles, id, 'config.json')));
  const steps = [
    () => endContainers(paths.socket, runcRoot),
    () => cgroups.forEach(removeWhileEmpty),
    () => unmountBelow(layout.directory),
    () => sockets.forEach((path) => rmSync(path, { force: true })),
  ];
  failures.push(...(await attemptAll(steps)));
  return failures;
}

/** Removes the results of CNI plugins for a containerd. */
function removeAnswers(directory: string): void {
  for (const name of list(CNI_CACHE)) {
    const path = join(CNI_CACHE, name);
    if (isAnswerFor(path, directory)) rmSync(path, { force: true });
  }
}

/** Removes folders that other containerds share, if they are empty. */
function removeSharedFolders(): void {
  const folders = [SHIM_SOCKETS, dirname(SHIM_SOCKETS), CNI_CACHE, dirname(CNI_CACHE), ...defaultCgroupParents()];
  folders.forEach(removeIfEmpty);
}

function report({ directory }: Layout, failures: readonly string[]): void {
  if (failures.length === 0) return;
  throw new PrivateContainerdError(`the containerd in ${directory} left resources behind: ${failures.join('; ')}`);
}

/**
 * Cleans up after runs of this tool that were killed while containers ran: their shims still run, and lead to the marker of a dead process.
 * A failed removal is only a warning, since names are never used twice.
 */
export async function cleanUpAbandoned(): Promise<void> {
  const sockets = findProcesses((argv) => shimOf(argv) !== undefined).flatMap(({ argv }) => shimOf(argv) ?? []);
  for (const directory of new Set(sockets.map((socket) => dirname(socket)))) {
    const layout = readMarker(directory);
    if (layout === undefined || isOwned(layout)) continue;
    await cleanUp(layout).catch((error: unknown) => process.emitWarning(errorMessage(error)));
  }
}

/**
 * Creates an empty directory for a containerd, after cleaning up after a killed run in it, and resolves with its real path. Rejects if the directory is in use
 * or has other content.
 */
export async function claimDirectory(path: string): Promise<string> {
  mkdirSync(path, { recursive: true });
  // As the kernel shows it in the table of mounts.
  const directory = realpathSync(path);
  if (Buffer.byteLength(directory) > MAX_DIRECTORY_LENGTH) {
    throw new PrivateContainerdError(
      `${directory} is too long for a socket's path: at most ${String(MAX_DIRECTORY_LENGTH)} bytes`,
    );
  }
  const previous = readMarker(directory);
  if (previous !== undefined) {
    if (isOwned(previous)) {
      throw new PrivateContainerdError(
        `${directory} is in use by the containerd of process ${String(previous.owner.pid)}`,
      );
    }
    await cleanUp(previous);
    mkdirSync(directory);
  }
  if (readdirSync(directory).length > 0) {
    throw new PrivateContainerdError(`${directory} is not empty: give a directory for containerd's own use`);
  }
  return directory;
}

/** Returns the mount points below a directory, innermost first. */
export function mountsBelow(directory: string): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? [])
    .map((path) => path.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))))
    .filter((path) => path.startsWith(`${directory}/`))
    .reverse();
}

/** Returns the socket of a shim's containerd, from its arguments; `undefined` for other processes. */
export function shimOf(argv: readonly string[]): string | undefined {
  if (argv[0]?.includes('containerd-shim') !== true) return undefined;
  const option = argv.indexOf('-address');
  return option === -1 ? undefined : argv[option + 1];
}

function isRunc(argv: readonly string[], runcRoot: string): boolean {
  return argv[0]?.endsWith('runc') === true && argv.includes(runcRoot);
}

function readMarker(directory: string): Layout | undefined {
  const path = join(directory, MARKER);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Layout) : undefined;
}

function isOwned({ owner }: Layout): boolean {
  return processStartTime(owner.pid) === owner.startTime;
}

async function endServer(config: string): Promise<void> {
  const servers = findProcesses(
    (argv) => argv[0]?.endsWith('containerd') === true && argv[argv.indexOf('--config') + 1] === config,
  );
  await killAndWait(servers, KILL_TIMEOUT_MS);
}

/**
 * Waits for processes that containerd had started, such as CNI plugins and runc. Killed, they would leave rules and cgroups that cannot be found later.
 */
async function endHelpers(directory: string, runcRoot: string): Promise<void> {
  await until(
    'the exit of CNI plugins and runc',
    KILL_TIMEOUT_MS,
    () =>
      findProcesses(
        (argv, pid) =>
          isRunc(argv, runcRoot) || environmentVariable(pid, 'CNI_NETNS')?.startsWith(`${directory}/`) === true,
      ).length === 0,
  );
}

/** Kills containers and shims. In several rounds, because a shim may have been starting a container. */
async function endContainers(socket: string, runcRoot: string): Promise<void> {
  let failures: string[] = [];
  const isOurs = (argv: readonly string[]): boolean => shimOf(argv) === socket || isRunc(argv, runcRoot);
  await until(
    () => `the end of its containers (${failures.join('; ')})`,
    END_TIMEOUT_MS,
    async () => {
      failures = await deleteContainers(runcRoot);
      await killAndWait(findProcesses(isOurs), KILL_TIMEOUT_MS);
      return list(runcRoot).length === 0;
    },
  );
}

/** Removes containers by runc, which also kills the processes left in their cgroups. Returns the messages of failures. */
async function deleteContainers(runcRoot: string): Promise<string[]> {
  const waiting = list(runcRoot);
  const failures: string[] = [];
  const worker = async (): Promise<void> => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const args = ['--root', runcRoot, 'delete', '--force', id];
      failures.push(...(await attemptAll([() => run('runc', args)])));
    }
  };
  // Several at a time: each waits a tenth of a second for the end of the container's process.
  await Promise.all(Array.from({ length: 8 }, worker));
  return failures;
}

async function unmountBelow(directory: string): Promise<void> {
  for (const path of mountsBelow(directory)) {
    // Lazy, so that a file in use does not fail the unmount: its last user was just killed.
    await run('umount', ['--lazy', path]);
  }
}

async function removeBridge(bridge: string): Promise<void> {
  if (existsSync(`/sys/class/net/${bridge}`)) await run('ip', ['link', 'delete', bridge]);
}

/** A bundle's `address` file has the shim's socket, `unix:///run/containerd/s/…`; containers share their sandbox's. */
function shimSocket(addressFile: string): string[] {
  if (!existsSync(addressFile)) return [];
  const path = readFileSync(addressFile, 'utf8')
    .trim()
    .replace(/^unix:\/\//, '');
  return path.startsWith(`${SHIM_SOCKETS}/`) ? [path] : [];
}

/** Removes the plugins' results whose network namespace, a file, is below the directory. */
function isAnswerFor(path: string, directory: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes(`"${directory}/`);
  } catch {
    // Of another network, removed meanwhile.
    return false;
  }
}

/** Cgroups of containers without a `cgroup_parent`, in every hierarchy (cgroup v1) or the only one (v2). */
function defaultCgroupParents(): string[] {
  return globSync(`/sys/fs/cgroup/{,*/}${NAMESPACE}`);
}

/**
 * The cgroups of a container, from its bundle: runc has no record of a container whose start was interrupted, although its cgroup exists.
 */
function cgroupDirectories(bundleConfig: string): string[] {
  if (!existsSync(bundleConfig)) return [];
  const { linux } = JSON.parse(readFileSync(bundleConfig, 'utf8')) as { linux?: { cgroupsPath?: string } };
  const path = linux?.cgroupsPath ?? '';
  return path.startsWith('/') ? globSync(`/sys/fs/cgroup/{,*}${path}`) : [];
}

/** Removes a cgroup and its empty ancestors. */
function removeWhileEmpty(cgroup: string): void {
  for (let path = cgroup; path.startsWith('/sys/fs/cgroup/') && removeIfEmpty(path);) path = dirname(path);
}

function removeIfEmpty(directory: string): boolean {
  try {
    rmdirSync(directory);
    return true;
  } catch {
    // Absent, or also used by others.
    return !existsSync(directory);
  }
}

function list(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}
