import { describe, expect, it } from 'vitest';
import { expandCommand } from './exec-probe.ts';

describe('expandCommand', () => {
  it('rejects a command that is more than a runtime takes', () => {
    const env = [{ name: 'BIG', value: 'x'.repeat(2 ** 20) }];
    const command = Array.from({ length: 16 }, () => '$(BIG)');
    expect(expandCommand(command, env)).toHaveLength(16);
    expect(() => expandCommand([...command, '$(BIG)'], env)).toThrow('the command has more than 16777216 characters');
  });
});
