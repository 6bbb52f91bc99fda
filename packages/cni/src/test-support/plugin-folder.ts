import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '@rxlet/component-base';
import { createHostFiles, createNodeFiles } from '@rxlet/node-files';
import { type Cni, type CniOptions, createCni } from '../create-cni.ts';
import { runProcess } from '../run-process.ts';

/** A node of a test: folders of configurations, plugins and results, and a record of the plugins' calls. */
export interface TestNode extends AsyncDisposable {
  readonly folder: string;
  readonly cni: Cni;
  /** Writes a network configuration. */
  configure(name: string, config: object): Promise<void>;
  /**
   * Writes a plugin, a shell script. Its command is in `CNI_COMMAND`, its input in `$input`. It answers VERSION by itself and records every other call.
   */
  plugin(name: string, script: string, versions?: readonly string[]): Promise<void>;
  /** Returns the recorded calls, `plugin COMMAND`, in order. */
  calls(): Promise<readonly string[]>;
  /** Returns the input of the last call of a plugin. */
  input(plugin: string, command: string): Promise<Record<string, unknown>>;
  /** Returns the variables of the last call of a plugin. */
  environment(plugin: string, command: string): Promise<Readonly<Record<string, string>>>;
}

/** Creates a {@link TestNode} in a temporary folder. */
export async function createTestNode(options: Partial<CniOptions> = {}, clock: Clock = systemClock): Promise<TestNode> {
  const folder = await mkdtemp(join(tmpdir(), 'cni-'));
  const nodeFiles = createNodeFiles({ roots: [folder] });
  for (const name of ['net.d', 'bin', 'calls']) await nodeFiles.makeDirectory(join(folder, name), 0o755);
  const cni = createCni(
    { clock, hostFiles: createHostFiles(), nodeFiles, runProcess },
    {
      configFolder: join(folder, 'net.d'),
      pluginFolders: [join(folder, 'bin')],
      cacheFolder: join(folder, 'cache'),
      environment: { PATH: process.env['PATH'] ?? '' },
      ...options,
    },
  );
  return {
    folder,
    cni,
    configure: (name, config) => writeFile(join(folder, 'net.d', name), JSON.stringify(config)),
    async plugin(name, script, versions = ['0.4.0', '1.0.0', '1.1.0']) {
      const supported = JSON.stringify({ cniVersion: '1.0.0', supportedVersions: versions });
      const text = [
        '#!/bin/sh',
        'input=$(cat)',
        `if [ "$CNI_COMMAND" = VERSION ]; then echo '${supported}'; exit 0; fi`,
        `echo "${name} $CNI_COMMAND" >> ${folder}/calls/all`,
        `printf '%s' "$input" > ${folder}/calls/${name}-$CNI_COMMAND.json`,
        `env > ${folder}/calls/${name}-$CNI_COMMAND.env`,
        script,
        '',
      ];
      await writeFile(join(folder, 'bin', name), text.join('\n'), { mode: 0o755 });
    },
    async calls() {
      const text = await readFile(join(folder, 'calls', 'all'), 'utf8').catch(() => '');
      return text.split('\n').filter(Boolean);
    },
    async input(plugin, command) {
      const text = await readFile(join(folder, 'calls', `${plugin}-${command}.json`), 'utf8');
      return JSON.parse(text) as Record<string, unknown>;
    },
    async environment(plugin, command) {
      const text = await readFile(join(folder, 'calls', `${plugin}-${command}.env`), 'utf8');
      return Object.fromEntries(text.split('\n').map((line) => line.split(/=(.*)/s, 2) as [string, string]));
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
