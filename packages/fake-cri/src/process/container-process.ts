import { NamespaceMode } from '@rxlet/cri-api';
import type { Container } from '../runtime-objects.ts';
import { createContainerFiles } from '../fs/container-files.ts';
import { FileError, type FileSystem } from '../fs/file-system.ts';
import { filesOfImage } from '../images/image-files.ts';
import { imageVolumeFiles } from '../images/image-volumes.ts';
import type { RuntimeState } from '../runtime-state.ts';
import { capabilitySets } from '../security/capabilities.ts';
import { seccompFilter } from '../security/seccomp.ts';
import { peersOf } from './container-peers.ts';
import { type Process, type ProcessOptions, startProcess } from './process.ts';
import { namespacedPid, visibleProcesses } from './process-table.ts';
import { createProcFiles } from './proc-files.ts';
import type { Program } from './program.ts';
import type { ProcessEnvironment } from './process-environment.ts';

const decoder = new TextDecoder();

/** Returns the command line of a container: its command replaces the image's entrypoint, its arguments the image's. */
export function containerCommand({ config, image }: Container): readonly string[] {
  if (config.command.length > 0) return [...config.command, ...config.args];
  return [...image.entrypoint, ...(config.args.length > 0 ? config.args : image.cmd)];
}

/** Starts a program in a container: its own, or one of an exec. `onStart` registers the process with the container, before the program can look for it. */
export function startInContainer(
  state: RuntimeState,
  container: Container,
  program: Program,
  io: Pick<ProcessOptions, 'argv' | 'hasTerminal' | 'onExit' | 'onStart' | 'stdin' | 'write'>,
): Process {
  const pid = state.nextPid();
  return startProcess(program, {
    ...io,
    clock: state.clock,
    pid,
    environment: processEnvironment(state, container, pid),
  });
}

function processEnvironment(state: RuntimeState, container: Container, hostPid: number): ProcessEnvironment {
  const { sandbox, config, status } = container;
  const context = config.linux?.securityContext;
  const { uid = 0n, gid = 0n, supplementalGroups = [] } = status.user?.linux ?? {};
  return {
    get pid() {
      return namespacedPid(state, container, hostPid);
    },
    env: containerEnvironment(container),
    files: processFiles(
      () => filesOf(state, container),
      () => namespacedPid(state, container, hostPid),
    ),
    workingDirectory: config.workingDir === '' ? '/' : config.workingDir,
    uid,
    gid,
    groups: supplementalGroups,
    peers: peersOf(state, container),
    hostname: () => sandbox.hostname,
    setHostname: (name) => void (sandbox.hostname = name),
    bridges: sandbox.bridges,
    sharedMemory: () => (context?.namespaceOptions?.ipc === NamespaceMode.NODE ? sharedMemoryOfHost(state) : ''),
    memoryLimitBytes: () => Number(container.status.resources?.linux?.memoryLimitInBytes ?? 0n),
    isPermitted: (capability, ...syscalls) =>
      (capability === undefined || capabilitySets(context, uid).effective.has(capability)) &&
      syscalls.every((syscall) => seccompFilter(context, state.hostFiles).allows(syscall)),
    isMasked: (program) => context?.maskedPaths.includes(`/bin/${program}`) === true,
    processes: () => visibleProcesses(state, container),
    kill(pid, signal) {
      const found = visibleProcesses(state, container).find((process) => process.pid === pid);
      found?.process?.signal(signal);
      return found !== undefined;
    },
  };
}

/** Returns the environment of a container: common variables, then its image's, then its own. */
function containerEnvironment({ config, image, sandbox }: Container): ReadonlyMap<string, string> {
  const env = new Map([
    ['PATH', '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
    ['HOSTNAME', sandbox.config.hostname],
  ]);
  for (const variable of image.env) {
    const equals = variable.indexOf('=');
    if (equals > 0) env.set(variable.slice(0, equals), variable.slice(equals + 1));
  }
  for (const { key, value } of config.envs) env.set(key, decoder.decode(value));
  return env;
}

/** Returns the files of a container, which all its programs share. */
function filesOf(state: RuntimeState, container: Container): FileSystem {
  const { sandbox, config, image } = container;
  const { readonlyRootfs, maskedPaths, readonlyPaths } = config.linux?.securityContext ?? {};
  container.files ??= createContainerFiles(
    {
      hostname: sandbox.config.hostname,
      ip: sandbox.ip,
      dns: sandbox.config.dnsConfig,
      mounts: config.mounts.map((mount) => ({ ...mount, imageFiles: imageVolumeFiles(state.images, mount) })),
      imageFiles: filesOfImage(image),
      proc: createProcFiles(state, container),
      readonlyRootfs,
      maskedPaths,
      readonlyPaths,
    },
    state.hostFiles,
  );
  return container.files;
}

/** Returns the host's table of shared memory segments, if the runtime may read it. */
function sharedMemoryOfHost({ hostFiles }: RuntimeState): string {
  try {
    return hostFiles.open('/proc/sysvipc').read('/shm');
  } catch (error) {
    if (error instanceof FileError) return '';
    throw error;
  }
}

/**
 * Returns the files of a container as one of its processes sees them: `/proc/self` is the process's own directory. They are created at their first use, because most
 * containers never use their files.
 */
function processFiles(make: () => FileSystem, pid: () => number): FileSystem {
  const at = (path: string): string => path.replace(/^\/proc\/self(?=\/|$)/, () => `/proc/${String(pid())}`);
  return {
    kind: (path) => make().kind(at(path)),
    read: (path) => make().read(at(path)),
    write: (path, content, append) => make().write(at(path), content, append),
    list: (path) => make().list(at(path)),
    makeDirectory: (path) => make().makeDirectory(at(path)),
    remove: (path) => make().remove(at(path)),
  };
}
