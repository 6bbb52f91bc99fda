import { describe, expect, it } from 'vitest';
import {
  formatContainerName,
  formatSandboxName,
  parseContainerName,
  parseSandboxName,
  withSuffix,
} from './docker-names.ts';
import { checkName } from './check-name.ts';

const pod = { name: 'web', namespace: 'default', uid: 'u-1' };

describe('names in Docker', () => {
  it('identify sandboxes and containers', () => {
    const sandbox = formatSandboxName({ ...pod, attempt: 2 });
    expect(sandbox).toBe('k8s_POD_web_default_u-1_2');
    expect(parseSandboxName(`/${sandbox}`)).toEqual({ ...pod, attempt: 2 });
    const name = formatContainerName({ container: 'main', attempt: 0, pod });
    expect(name).toBe('k8s_main_web_default_u-1_0');
    expect(parseContainerName(name)).toEqual({ container: 'main', attempt: 0, pod });
    expect(parseContainerName(withSuffix(name, 'ab12'))).toEqual({ container: 'main', attempt: 0, pod });
  });

  it.each(['web', 'k8s_a_b', 'k8s_main_web_default_u_x', 'k8s_a_b_c_d_1_e_f', 'other_main_web_default_u_0'])(
    'does not take %s for one of Kubernetes',
    (name) => {
      expect(parseContainerName(name)).toBeUndefined();
    },
  );

  it('does not take a container for a sandbox', () => {
    expect(parseSandboxName('k8s_main_web_default_u-1_0')).toBeUndefined();
  });

  it('cannot hold an underscore in a part', () => {
    expect(() => checkName({ namespace: 'a_b' })).toThrow('the namespace "a_b" must consist of letters, digits');
    expect(() => checkName({ name: '' })).toThrow('the name ""');
  });
});
