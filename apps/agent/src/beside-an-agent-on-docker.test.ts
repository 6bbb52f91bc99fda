import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runRxlet } from './test-support/agent-process.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'rxlet-check-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

const check = async (socket: string): Promise<unknown[]> => {
  const places = ['--root-dir', join(folder, 'root'), '--cert-dir', join(folder, 'pki')];
  const { stdout, stderr } = await runRxlet(
    ...['check', '-o', 'json', '--docker', '--docker-endpoint', `unix://${socket}`, ...places],
  );
  const findings = JSON.parse(stdout === '' ? stderr : stdout) as { readonly check: string }[];
  return findings.filter((finding) => finding.check === 'runtime');
};

/** A Docker that has its version only, and what else it was asked for. */
function startDocker(socket: string): Disposable & { readonly otherRequests: () => string[] } {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method ?? ''} ${(request.url ?? '').replace(/^\/v[\d.]+|\?.*$/g, '')}`);
    response.setHeader('Content-Type', 'application/json').end('{"Version":"28.0.0","ApiVersion":"1.48"}');
  }).listen(socket);
  return {
    otherRequests: () => requests.filter((request) => !/^GET \/(?:version|info|_ping)$/.test(request)),
    [Symbol.dispose]: () => void server.close(),
  };
}

it('a check of Docker reads only, as an agent that runs on it has its own work to do', async () => {
  const socket = join(folder, 'docker.sock');
  using docker = startDocker(socket);
  expect(await check(socket)).toEqual([{ check: 'runtime', level: 'ok', message: 'docker 28.0.0' }]);
  expect(docker.otherRequests()).toEqual([]);
  expect(await readdir(folder)).toEqual(['docker.sock']);
});

it('a second agent on Docker ends before it touches what the first one runs', async () => {
  const socket = join(folder, 'docker.sock');
  const root = join(folder, 'root');
  await mkdir(root);
  using docker = startDocker(socket);
  const first = createSocketServer().listen(join(root, 'rxlet.sock'));
  try {
    const flags = ['--docker', '--docker-endpoint', `unix://${socket}`, '--root-dir', root];
    const { stderr, exitCode } = await runRxlet(...flags);
    expect(stderr).toContain(`${root}/rxlet.sock: it is served by another process`);
    expect(exitCode).toBe(1);
    expect(docker.otherRequests()).toEqual([]);
  } finally {
    first.close();
  }
});

it('a check of a Docker that does not run says so, and creates no directory', async () => {
  const message = expect.stringContaining('cannot run pods on Docker') as string;
  expect(await check(join(folder, 'none.sock'))).toMatchObject([{ level: 'error', message }]);
  expect(await readdir(folder)).toEqual([]);
});
