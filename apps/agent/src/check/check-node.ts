import { execFile } from 'node:child_process';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { release } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { noopLogger, systemClock } from '@rxlet/component-base';
import { noopMetrics } from '@rxlet/component-base/metrics';
import { createHostFiles } from '@rxlet/node-files';
import { runningAgents } from '../config/find-agent.ts';
import type { AgentSettings } from '../config/load-settings.ts';
import { connectRuntime } from '../connect-runtime.ts';
import type { RuntimeConnection } from '../runtime-connection.ts';
import { checkMachine, type Finding } from './check-machine.ts';
import { type CheckedPlaces, type MachineFactsPorts, readMachineFacts } from './read-machine-facts.ts';

const PROGRAM_TIMEOUT_MS = 5000;

/** Checks whether this machine is fit to be a node with these settings. */
export async function checkNode(settings: AgentSettings, signal: AbortSignal): Promise<readonly Finding[]> {
  const { configuration } = settings.loaded;
  const isTrial = settings.runtime.kind === 'fake';
  const facts = await readMachineFacts(machinePorts(settings, signal), placesOf(settings));
  return checkMachine(facts, {
    isTrial,
    failSwapOn: configuration.failSwapOn ?? true,
    failCgroupV1: configuration.failCgroupV1 ?? false,
    isInCluster: settings.cluster !== undefined,
  });
}

function placesOf({
  node,
  kubeletApi,
  cluster,
  loaded: { configuration },
  servingCertificates,
}: AgentSettings): CheckedPlaces {
  const { address = '0.0.0.0', port, readOnlyPort, healthzPort, healthzBindAddress } = kubeletApi ?? {};
  const ports = [
    { name: '--port', address, port },
    { name: '--read-only-port', address, port: readOnlyPort },
    { name: '--healthz-port', address: healthzBindAddress ?? '127.0.0.1', port: healthzPort },
  ];
  const clientCa = configuration.authentication?.x509?.clientCAFile;
  const { tlsCertFile } = configuration;
  const directory = cluster?.certificateDirectory ?? servingCertificates.directory;
  return {
    rootDirectory: node.rootDirectory,
    ports: ports.flatMap(({ port: number, ...rest }) => (number ? [{ ...rest, port: number }] : [])),
    certificates: [
      ...(clientCa ? [{ path: clientCa, purpose: 'client CA', isOptional: false }] : []),
      ...(tlsCertFile ? [{ path: tlsCertFile, purpose: 'serving certificate', isOptional: false }] : []),
      ...(cluster === undefined
        ? []
        : [{ path: join(directory, 'kubelet-client-current.pem'), purpose: 'client certificate', isOptional: true }]),
      { path: join(directory, 'kubelet-server-current.pem'), purpose: 'serving certificate', isOptional: true },
    ],
  };
}

function machinePorts(settings: AgentSettings, signal: AbortSignal): MachineFactsPorts {
  return {
    hostFiles: createHostFiles(),
    now: () => systemClock.now(),
    userId: () => process.getuid?.() ?? 0,
    kernelRelease: release,
    async withRuntime(use) {
      await using connection = await connectReadOnly(settings, signal);
      return await use(connection.runtime);
    },
    tryListen: (address, port) =>
      new Promise((resolve) => {
        const server = createServer();
        server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
        server.listen({ port, host: address, exclusive: true }, () => server.close(() => resolve(undefined)));
      }),
    run: (program, args) =>
      new Promise((resolve) => {
        execFile(program, args, { timeout: PROGRAM_TIMEOUT_MS }, (error, stdout) =>
          resolve(error === null ? stdout : undefined),
        );
      }),
    fileSystem: (path) => fileSystemOf(path),
    async hasProgram(name) {
      const folders = (process.env['PATH'] ?? '').split(delimiter);
      const found = await Promise.all(
        folders.map((folder) =>
          access(join(folder, name), constants.X_OK).then(
            () => true,
            () => false,
          ),
        ),
      );
      return found.includes(true);
    },
    isAgentRunning: async () => (await runningAgents()).includes(settings.node.rootDirectory),
    programTimeMs: async () => (await stat(process.argv[1] ?? '').catch(() => ({ mtimeMs: 0 }))).mtimeMs,
  };
}

async function connectReadOnly(settings: AgentSettings, signal: AbortSignal): Promise<RuntimeConnection> {
  if (settings.runtime.kind === 'docker') {
    const { connectDocker } = await import('../connect-docker.ts');
    return connectDocker(settings.runtime, noopLogger, signal, { isReadOnly: true });
  }
  // Named, so that the failure is that of the connection alone.
  const runtime = settings.runtime.kind === 'cri' ? { ...settings.runtime, isDefault: false } : settings.runtime;
  return connectRuntime({ ...settings, runtime }, noopLogger, noopMetrics, signal);
}

/** Returns the space of the file system of a path, which need not exist yet. */
async function fileSystemOf(path: string): Promise<{ availableBytes: number; capacityBytes: number }> {
  try {
    const { bavail, blocks, bsize } = await statfs(path);
    return { availableBytes: bavail * bsize, capacityBytes: blocks * bsize };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    return fileSystemOf(dirname(path));
  }
}
