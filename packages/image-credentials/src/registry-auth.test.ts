import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createRegistryAuth, hashRegistryAuth } from './registry-auth.ts';

describe('a registry auth', () => {
  it('shows its fields only on direct access', () => {
    const auth = createRegistryAuth('CANARY-user', 'CANARY-password');
    const shown = [
      inspect({ auth }, { showHidden: true, getters: true, depth: null }),
      JSON.stringify([auth]),
      JSON.stringify({ ...auth }),
      Object.keys(auth).join(),
      `${inspect(new Map([[1, auth]]))}`,
    ];
    expect(shown.join('\n')).not.toContain('CANARY');
    expect(inspect(auth)).toBe('{ redacted: true }');
    expect([auth.username, auth.password, auth.registryToken]).toEqual(['CANARY-user', 'CANARY-password', '']);
  });

  it.each([
    // printf '%s' '{"username":"u","password":"p"}' | sha256sum, with what Go escapes written as \u003c, \u0026, \u003e and \u2028
    ['u', 'p', 'edbd57ca9372e64eb1c9070ecf3a049ac553596b0529acf034c7a71d4e618e88'],
    ['', '', '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'],
    ['<&>\u2028', 'é', '6ab2c79dd2fd19cf15daca7d2d85003488819831380d08ec7471ea1c16f19ca3'],
  ])('is known by the hash of its JSON: %j %j', (username, password, hash) => {
    expect(hashRegistryAuth(createRegistryAuth(username, password))).toBe(hash);
  });
});
