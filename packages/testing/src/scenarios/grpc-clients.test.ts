import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { noopLogger, seededRandom, systemClock } from '@rxlet/component-base';
import { noopMetrics } from '@rxlet/component-base/metrics';
import { recordingLogger } from '@rxlet/component-base/testing';
import { serveCri } from '@rxlet/cri-server';
import { createDeviceManager, createDevicePlugin } from '@rxlet/device-manager';
import { createFakeRuntime, discardLogs } from '@rxlet/fake-cri';
import { createNodeFiles } from '@rxlet/node-files';
import { connectToPlugin } from '@rxlet/node-plugins';
import { createTestPluginServer, Registration } from '@rxlet/node-plugins/testing';
import { createPodResourcesApi, servePodResources } from '@rxlet/pod-resources';
import { createPodsApi, servePodsApi } from '@rxlet/pods-api';
import { NEVER } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const PYTHON = '/usr/bin/python3';
const PYTHON_CLIENT = `
import grpc, sys
for authority in sys.argv[3:]:
    with grpc.insecure_channel('unix:' + sys.argv[1], options=[('grpc.default_authority', authority)]) as channel:
        call = channel.unary_unary(sys.argv[2], request_serializer=bytes, response_deserializer=bytes)
        try:
            call(b'', timeout=10)
            print('OK')
        except grpc.RpcError as error:
            print(error.code().name, error.details())
`;

/** Paths as clients of Go and Python may send them, and texts that are no authority at all. */
const AUTHORITIES = [
  'localhost',
  '%2Fvar%2Flib%2Fkubelet%2Fpod-resources%2Fkubelet.sock',
  '/var/lib/kubelet/device-plugins/kubelet.sock',
  'unix:///run/x.sock',
  'user@host:port',
  '[::1',
  'host:99999999',
  '%zz <>',
];

let folder: string;
let socketPath: string;
let toDispose: AsyncDisposable[];
let logger: ReturnType<typeof recordingLogger>;
beforeEach(async () => {
  folder = await mkdtemp(`${tmpdir()}/grpc-clients-`);
  socketPath = `${folder}/kubelet.sock`;
  toDispose = [];
  logger = recordingLogger();
});
afterEach(async () => {
  for (const each of toDispose.reverse()) await each[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

interface TestedServer {
  readonly method: string;
  /** Answer to an empty request. */
  readonly answer: string;
  serve(): Promise<AsyncDisposable>;
}

const SERVERS: Readonly<Record<string, TestedServer>> = {
  'a container runtime': {
    method: '/runtime.v1.RuntimeService/Version',
    answer: 'OK',
    async serve() {
      const fake = createFakeRuntime({ clock: systemClock, random: seededRandom(1), logs: discardLogs });
      toDispose.push(fake);
      return serveCri(fake, { listen: socketPath, logger });
    },
  },
  'the PodResources API': {
    method: '/v1.PodResourcesLister/List',
    answer: 'OK',
    serve() {
      const api = createPodResourcesApi({
        activePods: () => [],
        allPods: () => [],
        assigned: undefined,
        metrics: noopMetrics,
      });
      return servePodResources(api, { socketPath, clock: systemClock, logger });
    },
  },
  'the pods API': {
    method: '/v1alpha1.Pods/ListPods',
    answer: 'OK',
    serve() {
      const pods = { list: () => [], changes$: NEVER };
      return servePodsApi(createPodsApi({ pods, logger, metrics: noopMetrics }), {
        socketPath,
        clock: systemClock,
        logger,
      });
    },
  },
  'the registration of device plugins': {
    method: '/v1beta1.Registration/Register',
    answer: 'UNKNOWN requested API version "" is not supported by kubelet. Supported version is ["v1beta1"]',
    async serve() {
      const manager = createDeviceManager(
        {
          clock: systemClock,
          logger: noopLogger,
          metrics: noopMetrics,
          files: createNodeFiles({ roots: [folder] }),
          connect: (path) => createDevicePlugin(systemClock, connectToPlugin(path)),
          mayUseDevices: () => true,
          runningPods: async () => new Set(),
        },
        folder,
      );
      await manager.start(new AbortController().signal);
      return manager;
    },
  },
  'the plugin of a test': {
    method: '/pluginregistration.Registration/GetInfo',
    answer: 'OK',
    async serve() {
      const server = createTestPluginServer([Registration], { answer: async () => ({}) });
      await server.listen(socketPath);
      return server;
    },
  },
};

function callWithGrpcJs(method: string, authority: string): Promise<string> {
  const client = new Client(`unix:${socketPath}`, credentials.createInsecure(), {
    'grpc.default_authority': authority,
    'grpc.use_local_subchannel_pool': 1,
  });
  const same = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    client.makeUnaryRequest(method, same, same, Buffer.alloc(0), new Metadata(), (error) => {
      client.close();
      resolve(error === null ? 'OK' : error.message.replace(/^(\d+ )/, ''));
    });
  });
}

describe.each(Object.entries(SERVERS))('%s', (_name, { method, answer, serve }) => {
  it('serves grpc-js with any authority', async () => {
    toDispose.push(await serve());
    for (const authority of AUTHORITIES)
      expect([authority, (await callWithGrpcJs(method, authority)).replace(': ', ' ')]).toEqual([authority, answer]);
    expect(logger.lines.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it.runIf(hasPython())('serves grpcio with any authority', async () => {
    toDispose.push(await serve());
    const { stdout } = await promisify(execFile)(PYTHON, ['-c', PYTHON_CLIENT, socketPath, method, ...AUTHORITIES], {
      timeout: 60_000,
    });
    expect(stdout.trim().split('\n')).toEqual(AUTHORITIES.map(() => answer));
  });
});

function hasPython(): boolean {
  try {
    execFileSync(PYTHON, ['-c', 'import grpc'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
