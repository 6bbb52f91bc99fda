import { SecurityProfile_ProfileType } from '@rxlet/cri-api';
import { describe, expect, it } from 'vitest';
import { seccompProfileFile, securityOptions, type SecuritySettings } from './security-options.ts';

const { Localhost, RuntimeDefault, Unconfined } = SecurityProfile_ProfileType;
const settings = (fields: Partial<SecuritySettings> = {}): SecuritySettings => ({
  seccompProfilePath: '',
  apparmorProfile: '',
  noNewPrivs: false,
  privileged: false,
  ...fields,
});
const profile = (profileType: SecurityProfile_ProfileType, localhostRef = '') => ({ profileType, localhostRef });

describe('securityOptions', () => {
  it.each([
    ['no profile', {}, ['seccomp=unconfined']],
    ["the runtime's profiles", { seccomp: profile(RuntimeDefault), apparmor: profile(RuntimeDefault) }, []],
    [
      'no confinement',
      { seccomp: profile(Unconfined), apparmor: profile(Unconfined) },
      ['seccomp=unconfined', 'apparmor=unconfined'],
    ],
    [
      'an AppArmor profile',
      { seccomp: profile(RuntimeDefault), apparmor: profile(Localhost, 'localhost/own') },
      ['apparmor=own'],
    ],
    ['the older fields', { seccompProfilePath: 'runtime/default', apparmorProfile: 'localhost/own' }, ['apparmor=own']],
    [
      'a privileged container',
      { privileged: true, seccomp: profile(Unconfined), noNewPrivs: true },
      ['no-new-privileges'],
    ],
    [
      'SELinux options',
      { privileged: true, selinuxOptions: { user: 'u', role: '', type: 't', level: 's0:c1' } },
      ['label=user:u', 'label=type:t', 'label=level:s0:c1'],
    ],
  ])('maps %s', (_case, fields, expected) => {
    expect(securityOptions(settings(fields), undefined)).toEqual(expected);
  });

  it('contain the text of a profile, compact', () => {
    expect(securityOptions(settings(), '{\n  "defaultAction": "SCMP_ACT_ERRNO"\n}')).toEqual([
      'seccomp={"defaultAction":"SCMP_ACT_ERRNO"}',
    ]);
    expect(() => securityOptions(settings(), 'no json')).toThrow('cannot read the seccomp profile');
  });
});

describe('seccompProfileFile', () => {
  it.each([
    [{ seccomp: profile(Localhost, '/profiles/a.json') }, '/profiles/a.json'],
    [{ seccomp: profile(Localhost, 'localhost//profiles/a.json') }, '/profiles/a.json'],
    [{ seccompProfilePath: 'localhost//profiles/a.json' }, '/profiles/a.json'],
    [{ seccomp: profile(RuntimeDefault), seccompProfilePath: 'localhost//a' }, undefined],
    [{}, undefined],
  ])('is named by %j', (fields, path) => {
    expect(seccompProfileFile(settings(fields))).toBe(path);
  });

  it('has an absolute path', () => {
    expect(() => seccompProfileFile(settings({ seccomp: profile(Localhost, 'a.json') }))).toThrow('no absolute path');
  });
});
