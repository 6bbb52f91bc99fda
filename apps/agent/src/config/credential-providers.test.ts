import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.ts';
import { readCredentialProviders } from './credential-providers.ts';

const provider = (name: string): string => `apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: ${name}
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    matchImages: ['*.example']
    defaultCacheDuration: 1m
`;

describe('readCredentialProviders', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rxlet-providers-'));
    for (const name of ['one', 'two']) {
      await writeFile(join(folder, name), '#!/bin/sh\n');
      await chmod(join(folder, name), 0o755);
    }
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const read = (configPath: string) => readCredentialProviders({ configPath, binDirectory: folder });

  it('reads one file, or all of a folder by name', async () => {
    await writeFile(join(folder, 'b.yaml'), provider('two'));
    await writeFile(join(folder, 'a.json'), provider('one'));
    await writeFile(join(folder, 'c.txt'), 'not looked at');
    expect((await read(join(folder, 'b.yaml'))).providers.map(({ name }) => name)).toEqual(['two']);
    const { providers, providersHash } = await read(folder);
    expect(providers.map(({ name }) => name)).toEqual(['one', 'two']);
    expect(providersHash).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it.each([
    ['that is missing', undefined, 'ENOENT'],
    ['that is no YAML', 'a: [', 'config.yaml is not valid YAML'],
    ['that names a program that is missing', provider('three'), 'three'],
    ['that is something else', 'kind: Pod', 'config.yaml'],
  ])('refuses a configuration %s', async (_title, text, problem) => {
    const file = join(folder, 'config.yaml');
    if (text !== undefined) await writeFile(file, text);
    const error: unknown = await read(file).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).message).toContain(problem);
  });
});
