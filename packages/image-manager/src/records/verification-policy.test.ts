import { describe, expect, it } from 'vitest';
import { createVerificationPolicy, type VerificationOptions } from './verification-policy.ts';

const preloadedImagesVerificationAllowlist = ['quay.io/team/*', 'nginx', 'registry.example:5000/app'];

describe('createVerificationPolicy', () => {
  it.each([
    ['NeverVerify', 'quay.io/other/app', false, false],
    ['NeverVerifyPreloadedImages', 'quay.io/other/app', true, false],
    ['NeverVerifyAllowlistedImages', 'quay.io/other/app', true, true],
    ['NeverVerifyAllowlistedImages', 'quay.io/team/app', true, false],
    ['NeverVerifyAllowlistedImages', 'quay.io/team/deep/app', true, false],
    ['NeverVerifyAllowlistedImages', 'quay.io/team', true, true],
    ['NeverVerifyAllowlistedImages', 'quay.io/teams/app', true, true],
    ['NeverVerifyAllowlistedImages', 'docker.io/library/nginx', true, false],
    ['NeverVerifyAllowlistedImages', 'docker.io/library/nginx-more', true, true],
    ['NeverVerifyAllowlistedImages', 'registry.example:5000/app', true, false],
    ['AlwaysVerify', 'quay.io/team/app', true, true],
  ] as const)('%s, %s: %s if pulled by a kubelet, else %s', (policy, repository, ifPulled, otherwise) => {
    const options: VerificationOptions = {
      imagePullCredentialsVerificationPolicy: policy,
      ...(policy === 'NeverVerifyAllowlistedImages' && { preloadedImagesVerificationAllowlist }),
    };
    const requires = createVerificationPolicy(options);
    expect([requires(repository, true), requires(repository, false)]).toEqual([ifPulled, otherwise]);
  });

  it('exempts preloaded images by default', () => {
    const requires = createVerificationPolicy();
    expect([requires('quay.io/app', true), requires('quay.io/app', false)]).toEqual([true, false]);
  });

  it.each([
    ['nginx:1', 'it must have neither tag nor digest'],
    [' nginx', 'it must not begin or end with a space'],
    ['quay.io/*/app', "'*' is only understood at the end"],
    ['quay.io/team*', "'*' is only understood at the end"],
    ['*/*', "'*' is only understood at the end"],
    ['/*', 'it must begin with a registry'],
    ['', 'invalid reference format'],
    ['Not An Image', 'invalid reference format'],
  ])('rejects the pattern %j', (pattern, message) => {
    const options: VerificationOptions = {
      imagePullCredentialsVerificationPolicy: 'NeverVerifyAllowlistedImages',
      preloadedImagesVerificationAllowlist: [pattern],
    };
    expect(() => createVerificationPolicy(options)).toThrow(message);
    expect(() => createVerificationPolicy(options)).toThrow(JSON.stringify(pattern));
  });

  it('rejects settings without effect', () => {
    expect(() => createVerificationPolicy({ preloadedImagesVerificationAllowlist })).toThrow('may only be set with');
    const unknown = { imagePullCredentialsVerificationPolicy: 'Sometimes' } as unknown as VerificationOptions;
    expect(() => createVerificationPolicy(unknown)).toThrow('it must be one of NeverVerify, ');
  });
});
