import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createCommandContext } from './command-context.ts';
import { playCommand } from './play-command.ts';

const [, program] = process.argv;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rxlet-play-command-'));
  const script = join(folder, 'no-agent.cjs');
  await writeFile(script, 'process.exit(3);');
  process.argv[1] = script;
});
afterEach(async () => {
  process.argv[1] = program!;
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

it('starts an agent in the default place while the variable for the root directory is empty', async () => {
  vi.spyOn(process, 'getuid').mockReturnValue(1000);
  vi.stubEnv('XDG_RUNTIME_DIR', folder);
  vi.stubEnv('RXLET_ROOT', '');
  const path = join(folder, 'web.yaml');
  await writeFile(path, 'apiVersion: v1\nkind: Pod\nmetadata: { name: web }\n');
  const { signal } = new AbortController();
  const context = createCommandContext(join(folder, 'none'), signal, false);
  const deps = {
    args: [],
    signal,
    rootDirectory: () => Promise.resolve(join(folder, 'none')),
    context: () => Promise.resolve(context),
    streams: () => Promise.reject(new Error('not in this test')),
  };
  const options = { path, namespace: 'default', down: false, replace: false, timeout: '1m', namedRoot: undefined };
  await expect(playCommand(deps, { ...options, agentFlags: ['--fake-runtime'] })).rejects.toThrow(
    `(all of its log: ${folder}/rxlet-play-1000/play.log)`,
  );
});
