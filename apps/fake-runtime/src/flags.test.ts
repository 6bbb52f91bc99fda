import { describe, expect, it } from 'vitest';
import { parseFlags } from './flags.ts';

describe('parseFlags', () => {
  it('uses the defaults of absent flags', () => {
    expect(parseFlags(['--listen', 'unix:///run/fake.sock'])).toEqual({
      kind: 'flags',
      flags: {
        listen: 'unix:///run/fake.sock',
        latencyMs: 0,
        seed: undefined,
        verbosity: 0,
        stateFile: undefined,
        images: undefined,
        script: undefined,
        podNetwork: 'in-process',
        sandboxRoot: undefined,
        virtualClock: false,
      },
    });
  });

  it('reads every flag, with and without "="', () => {
    expect(parseFlags(['--listen=unix:///a', '--latency', '20', '--seed=7', '--v', '2'])).toMatchObject({
      flags: { listen: 'unix:///a', latencyMs: 20, seed: 7, verbosity: 2 },
    });
  });

  it('prints its version', () => {
    expect(parseFlags(['--version'])).toEqual({
      kind: 'help',
      text: expect.stringMatching(/^fake-runtime v\d+\.\d+\.\d+\n$/) as string,
    });
  });

  it('prints its usage', () => {
    expect(parseFlags(['--help'])).toMatchObject({
      kind: 'help',
      text: expect.stringContaining('--listen <address>') as string,
    });
  });

  it.each([
    [['--listne', 'x'], "unknown option '--listne' (Did you mean --listen?)"],
    [[], "option '--listen <address>' is missing"],
    [['--listen'], "option '--listen <address>' argument missing"],
    [
      ['--listen', 'unix:///a', '--latency', 'soon'],
      "option '--latency <ms>' argument 'soon' is invalid. It is not a whole number.",
    ],
    [
      ['--listen', 'unix:///a', '--pod-network', 'real'],
      "option '--pod-network <mode>' argument 'real' is invalid. Allowed choices are in-process, loopback.",
    ],
    [['--listen', 'unix:///a', 'more'], 'too many arguments. Expected 0 arguments but got 1: more.'],
  ])('rejects %j with one line', (args, message) => {
    expect(parseFlags(args)).toEqual({ kind: 'error', message });
  });
});
