import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, systemClock } from '@rxlet/component-base';
import { createCriClient } from '@rxlet/cri-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from './run.ts';

let folder: string;
let docker: Server | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shim-'));
});
afterEach(async () => {
  docker?.close();
  docker = undefined;
  await rm(folder, { recursive: true });
});

/** Runs the command until it listens or ends, and then `use`. */
async function runShim(
  flags: Record<string, string>,
  use: (endpoint: string) => Promise<void> = async () => undefined,
) {
  const endpoint = `unix://${folder}/cri.sock`;
  const all = {
    'container-runtime-endpoint': endpoint,
    'docker-endpoint': `unix://${folder}/docker.sock`,
    'cri-dockerd-root-directory': join(folder, 'state'),
    'cni-conf-dir': join(folder, 'net.d'),
    'cni-bin-dir': join(folder, 'bin'),
    ...flags,
  };
  const stop = new AbortController();
  const listening = Promise.withResolvers<void>();
  let stderr = '';
  const ended = run(
    Object.entries(all).map(([name, value]) => `--${name}=${value}`),
    {
      stdout: () => listening.resolve(),
      stderr: (text) => void (stderr += text),
      environment: {},
      signal: stop.signal,
    },
  );
  try {
    if ((await Promise.race([listening.promise, ended])) === undefined) await use(endpoint);
  } finally {
    stop.abort();
  }
  return { code: await ended, stderr };
}
const conditionsOf = async (endpoint: string) => {
  await using client = createCriClient({ clock: systemClock, random: seededRandom(1) }, { endpoint });
  const { status } = await client.runtime.status({});
  return status?.conditions.map(({ type, status: isTrue, reason, message }) => [type, isTrue, reason, message]);
};
/** Serves fixed answers as Docker. */
const serveDocker = async (version: object): Promise<void> => {
  docker = createServer((request, response) => response.end(JSON.stringify(request.url === '/version' ? version : {})));
  docker.listen(join(folder, 'docker.sock'));
  await once(docker, 'listening');
};

describe('docker-shim', () => {
  it('serves while Docker cannot be reached and no network is configured, and reports both', async () => {
    const { code, stderr } = await runShim({}, async (endpoint) => {
      const docker = `docker: cannot reach Docker at ${folder}/docker.sock: connect ENOENT ${folder}/docker.sock`;
      const network = `docker: network plugin is not ready: cni config uninitialized: no networks found in ${folder}/net.d`;
      expect(await conditionsOf(endpoint)).toEqual([
        ['RuntimeReady', false, 'DockerDaemonNotReady', docker],
        ['NetworkReady', false, 'NetworkPluginNotReady', network],
      ]);
    });
    expect(code).toBe(0);
    expect(stderr).toContain('warn docker: cannot reach Docker');
    expect(stderr).toContain('warn docker: network plugin is not ready');
  });

  it("accepts dockershim's hairpin modes, and says that the network decides", async () => {
    const { code, stderr } = await runShim({ 'hairpin-mode': 'promiscuous-bridge' }, async () => undefined);
    expect(code).toBe(0);
    expect(stderr).toContain('warn the hairpin mode has no effect: set "hairpinMode" in the CNI configuration');
  });

  it('reports a Docker of an unsupported version', async () => {
    await serveDocker({ Version: '19.03', ApiVersion: '1.40', MinAPIVersion: '1.12' });
    await runShim({}, async (endpoint) => {
      const message = 'docker: Docker 19.03 speaks versions 1.12 to 1.40 of its API: 1.41 to 1.52 are supported';
      expect((await conditionsOf(endpoint))?.[0]).toEqual(['RuntimeReady', false, 'DockerDaemonNotReady', message]);
    });
  });

  it('reports a network whose plugin is missing', async () => {
    await mkdir(join(folder, 'net.d'));
    const network = { cniVersion: '1.0.0', name: 'pods', plugins: [{ type: 'bridge' }] };
    await writeFile(join(folder, 'net.d', '10-pods.conflist'), JSON.stringify(network));
    await runShim({}, async (endpoint) => {
      expect((await conditionsOf(endpoint))?.[1]?.[3]).toBe(
        `docker: network plugin is not ready: failed to find plugin "bridge" in path [${folder}/bin]`,
      );
    });
  });

  it('ends when it cannot write checkpoints', async () => {
    await writeFile(join(folder, 'file'), '');
    const { code, stderr } = await runShim({ 'cri-dockerd-root-directory': join(folder, 'file', 'state') });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^docker-shim: cannot write checkpoints in .*\/file\/state: .*\n$/);
  });

  it('ends when it cannot listen', async () => {
    const { code, stderr } = await runShim({ 'container-runtime-endpoint': `unix://${folder}/missing/cri.sock` });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `docker-shim: cannot open the socket ${folder}/missing/cri.sock: the folder ${folder}/missing does not exist (--container-runtime-endpoint)\n`,
    );
  });

  it.each([
    [{ 'network-plugin': 'kubenet' }, "argument 'kubenet' is invalid. Allowed choices are cni."],
    [{ 'cni-bin-dir': 'relative' }, 'It is not an absolute path.'],
    [{ 'image-pull-progress-deadline': 'soon' }, 'It is not a positive duration such as 1m0s.'],
    [{ 'no-such-flag': '' }, "unknown option '--no-such-flag='"],
  ])('rejects the flags %j', async (flags, message) => {
    const { code, stderr } = await runShim(flags);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^docker-shim: .* \(see docker-shim --help\)\n$/);
    expect(stderr).toContain(message);
  });
});
