import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CredentialProviderConfigError, parseCredentialProviderConfig } from './credential-provider-config.ts';

const provider = {
  name: 'ecr-credential-provider',
  matchImages: ['*.dkr.ecr.*.amazonaws.com', 'public.ecr.aws:443/team'],
  defaultCacheDuration: '12h',
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
};
const tokenAttributes = { serviceAccountTokenAudience: 'aud', cacheType: 'Token', requireServiceAccount: true };
const file = (providers: unknown, version = 'v1') => ({
  apiVersion: `kubelet.config.k8s.io/${version}`,
  kind: 'CredentialProviderConfig',
  providers,
});
const parse = (...values: unknown[]) =>
  parseCredentialProviderConfig(values.map((value, index) => ({ source: `/etc/p/${String(index)}.yaml`, value })));
const problems = (...values: unknown[]): string[] => {
  try {
    parse(...values);
    return [];
  } catch (error) {
    if (!(error instanceof CredentialProviderConfigError)) throw error;
    return error.message.split('\n').slice(1);
  }
};
const problemsOf = (change: object): string[] =>
  problems(file([{ ...provider, ...change }])).map((line) => line.replace('/etc/p/0.yaml: providers[0].', ''));

describe('the configuration of credential providers', () => {
  it.each(['v1', 'v1beta1', 'v1alpha1'])('is read in version %s', (version) => {
    const apiVersion = `credentialprovider.kubelet.k8s.io/${version}`;
    const found = parse(
      file([{ ...provider, apiVersion, args: ['a'], env: [{ name: 'KEY', value: 'CANARY' }] }], version),
    );
    expect(found).toMatchObject([
      {
        name: provider.name,
        matchImages: provider.matchImages,
        defaultCacheDurationMs: 43_200_000,
        apiVersion,
        args: ['a'],
      },
    ]);
    expect(found[0]!.env[0]!.value).toBe('CANARY');
    expect(inspect(found, { showHidden: true, depth: null }) + JSON.stringify(found)).not.toContain('CANARY');
    expect(JSON.stringify(found)).toContain('KEY');
  });

  it('may be in several files, in their order', () => {
    const found = parse(
      file([{ ...provider, name: 'b' }]),
      file([
        { ...provider, name: 'a' },
        { ...provider, name: 'c' },
      ]),
    );
    expect(found.map(({ name }) => name)).toEqual(['b', 'a', 'c']);
  });

  it('may request tokens of service accounts', () => {
    const keys = { requiredServiceAccountAnnotationKeys: ['a.io/role'], optionalServiceAccountAnnotationKeys: ['b'] };
    expect(
      parse(file([{ ...provider, tokenAttributes: { ...tokenAttributes, ...keys } }]))[0]!.tokenAttributes,
    ).toEqual({
      ...tokenAttributes,
      ...keys,
    });
  });

  it.each<[change: object, want: string[]]>([
    [{ name: undefined }, ['name: it must be the name of a program, without a slash or a space']],
    [{ name: '..' }, ['name: it must be the name of a program, without a slash or a space']],
    [{ name: '../sh' }, ['name: it must be the name of a program, without a slash or a space']],
    [{ name: 'a b' }, ['name: it must be the name of a program, without a slash or a space']],
    [{ matchImages: [] }, ['matchImages: at least one image is required']],
    [{ matchImages: 'r.io' }, ['matchImages: it must be a list', 'matchImages: at least one image is required']],
    [
      { matchImages: ['r.io', 'r.io:x'] },
      ['matchImages[1]: "r.io:x" must be a host with an optional port and path, such as *.example.com:5000/team'],
    ],
    [
      { defaultCacheDuration: undefined },
      ['defaultCacheDuration: it must be a duration of 0s or more, such as 12h or 10m30s'],
    ],
    [
      { defaultCacheDuration: '-1s' },
      ['defaultCacheDuration: it must be a duration of 0s or more, such as 12h or 10m30s'],
    ],
    [{ defaultCacheDuration: '0' }, []],
    [
      { apiVersion: 'v1' },
      [
        'apiVersion: it must be one of credentialprovider.kubelet.k8s.io/v1, credentialprovider.kubelet.k8s.io/v1beta1, credentialprovider.kubelet.k8s.io/v1alpha1',
      ],
    ],
    [{ args: [1] }, ['args[0]: it must be a string']],
    [
      { env: [{ name: 'A=B', value: 'CANARY' }, 1, { name: 'A', value: 'x\0' }] },
      [
        'env[1]: it must be an object',
        'env[0].name: it must be the name of a variable',
        'env[1].name: it must be the name of a variable',
        'env[2].value: it must not hold NUL',
      ],
    ],
    [{ matchImage: [] }, ['matchImage: there is no such field']],
    [
      { tokenAttributes: {} },
      [
        'tokenAttributes.serviceAccountTokenAudience: it is required',
        'tokenAttributes.cacheType: it must be one of ServiceAccount, Token',
        'tokenAttributes.requireServiceAccount: it must be a boolean',
      ],
    ],
    [
      { apiVersion: 'credentialprovider.kubelet.k8s.io/v1beta1', tokenAttributes },
      ['tokenAttributes: it needs apiVersion credentialprovider.kubelet.k8s.io/v1'],
    ],
    [
      {
        tokenAttributes: {
          ...tokenAttributes,
          requireServiceAccount: false,
          requiredServiceAccountAnnotationKeys: ['a'],
        },
      },
      ['tokenAttributes.requiredServiceAccountAnnotationKeys: they need requireServiceAccount: true'],
    ],
    [
      {
        tokenAttributes: {
          ...tokenAttributes,
          requiredServiceAccountAnnotationKeys: ['a', '/b'],
          optionalServiceAccountAnnotationKeys: ['a'],
        },
      },
      [
        'tokenAttributes.requiredServiceAccountAnnotationKeys: "/b" is not the key of an annotation',
        'tokenAttributes.optionalServiceAccountAnnotationKeys: "a" is named twice',
      ],
    ],
  ])('with %j', (change, want) => {
    expect(problemsOf(change)).toEqual(want);
  });

  it('names the file, and reports all problems at once', () => {
    expect(problems(file([provider]), file([provider]), file([]), 'text', { kind: 'Pod' })).toEqual([
      '/etc/p/1.yaml: providers[0].name: there is a provider "ecr-credential-provider" in /etc/p/0.yaml already',
      '/etc/p/2.yaml: providers: at least one provider is required',
      ...['/etc/p/3.yaml: the file: it must be an object'],
      '/etc/p/3.yaml: apiVersion: it must be one of kubelet.config.k8s.io/v1, kubelet.config.k8s.io/v1beta1, kubelet.config.k8s.io/v1alpha1',
      '/etc/p/3.yaml: kind: it must be CredentialProviderConfig',
      '/etc/p/3.yaml: providers: at least one provider is required',
      '/etc/p/4.yaml: apiVersion: it must be one of kubelet.config.k8s.io/v1, kubelet.config.k8s.io/v1beta1, kubelet.config.k8s.io/v1alpha1',
      '/etc/p/4.yaml: kind: it must be CredentialProviderConfig',
      '/etc/p/4.yaml: providers: at least one provider is required',
    ]);
    expect(() => parse()).toThrow('cannot find a configuration file');
  });
});
