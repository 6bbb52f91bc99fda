import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { RuntimeServiceDescriptor } from '@rxlet/cri-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const COMMAND = fileURLToPath(new URL('../bin/fake-runtime', import.meta.url));

let folder: string;
let child: ChildProcessByStdio<null, Readable, Readable> | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fake-'));
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

/** Runs a shell command line in the folder of the test, with the command as `fake-runtime`. */
async function shell(script: string): Promise<{ code: number | null; stderr: string }> {
  const process = spawn('bash', ['-c', `set -o pipefail; fake-runtime() { "${COMMAND}" "$@"; }; ${script}`], {
    cwd: folder,
  });
  let stderr = '';
  process.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  const [code] = (await once(process, 'close')) as [number | null];
  return { code, stderr };
}

describe('bin/fake-runtime', () => {
  it('prints no stack when the reader of its output has left, or its output cannot be written', async () => {
    expect(await shell('fake-runtime --help | true')).toEqual({ code: 0, stderr: '' });
    const full = await shell(`fake-runtime --listen ${folder}/fake.sock > /dev/full`);
    expect(full.code).toBe(1);
    expect(full.stderr).toMatch(/^fake-runtime: cannot write to standard output: ENOSPC.*\n$/);
    expect(await readdir(folder)).toEqual([]);
  });

  it('ends an unsupported Node.js with one line before the program is read', async () => {
    const check = COMMAND.replace(/fake-runtime$/, 'require-node.cjs');
    const old = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' }); require(${JSON.stringify(check)})`;
    const { code, stderr } = await shell(`${process.execPath} --eval "${old.replaceAll('"', '\\"')}"`);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^fake-runtime: cannot start on Node.js 20.20.2 \(.*\): Node.js 24 or later is required.*\n$/,
    );
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('serves until %s, and leaves no socket behind', async (signal) => {
    // As npm links it into node_modules/.bin.
    await symlink(COMMAND, join(folder, 'fake-runtime'));
    child = spawn('./fake-runtime', ['--listen', `unix://${folder}/fake.sock`, '--seed', '1'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = once(child, 'exit');
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    expect(line).toBe(`fake runtime listening on unix://${folder}/fake.sock`);

    const nodeOptions = { createConnection: () => connect(join(folder, 'fake.sock')) };
    const transport = createGrpcTransport({ baseUrl: 'http://localhost', nodeOptions });
    const client = createClient(RuntimeServiceDescriptor, transport);
    expect(await client.version({})).toMatchObject({ runtimeName: 'fake', runtimeApiVersion: 'v1' });

    child.kill(signal);
    expect(await exited).toEqual([0, null]);
    expect(await readdir(folder)).toEqual(['fake-runtime']);
  });
});
