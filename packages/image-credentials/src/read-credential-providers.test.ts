import { createMemoryFiles } from '@rxlet/node-files/testing';
import { describe, expect, it } from 'vitest';
import { CredentialProviderConfigError } from './credential-provider-config.ts';
import { ProviderProcessError } from './node-provider-processes.ts';
import { readCredentialProviders } from './read-credential-providers.ts';

const PROGRAMS = ['one', 'two'];
const processes = {
  run: () => Promise.reject(new Error('not expected')),
  check: (name: string) =>
    PROGRAMS.includes(name)
      ? Promise.resolve()
      : Promise.reject(new ProviderProcessError('UnusableProgram', `the credential provider ${name} cannot be run`)),
};
const config = (name: string): string => `apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: ${name}
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    matchImages: ['*.example']
    defaultCacheDuration: 1m
`;
const read = (path: string, files: Record<string, string>) =>
  readCredentialProviders({ files: createMemoryFiles({ files }).hostFiles, processes }, path);

describe('readCredentialProviders', () => {
  const folder = { '/etc/p/b.yaml': config('two'), '/etc/p/a.json': config('one'), '/etc/p/c.txt': 'not a config' };

  it('reads one file, or all of a folder by name', async () => {
    expect((await read('/etc/p/b.yaml', folder)).providers.map(({ name }) => name)).toEqual(['two']);
    const { providers, providersHash } = await read('/etc/p', folder);
    expect(providers.map(({ name }) => name)).toEqual(['one', 'two']);
    expect(providersHash).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect((await read('/etc/p/b.yaml', folder)).providersHash).not.toBe(providersHash);
  });

  it('rejects a path with nothing at it', async () => {
    await expect(read('/etc/none', {})).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('rejects a folder without a configuration', async () => {
    await expect(read('/etc/p', { '/etc/p/c.txt': '' })).rejects.toThrow('must end in .json, .yaml or .yml');
  });

  it.each([
    ['that is not YAML', 'a: [', CredentialProviderConfigError, '/etc/config.yaml is not valid YAML'],
    ['of another kind', 'kind: Pod', CredentialProviderConfigError, '/etc/config.yaml'],
    ['that names a missing program', config('three'), ProviderProcessError, 'provider three cannot be run'],
  ])('rejects a configuration %s', async (_title, text, type, problem) => {
    const reading = read('/etc/config.yaml', { '/etc/config.yaml': text });
    await expect(reading).rejects.toBeInstanceOf(type);
    await expect(reading).rejects.toThrow(problem);
  });
});
