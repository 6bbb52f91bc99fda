import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { commandTree } from '../../../apps/agent/src/cli/command-tree.ts';
import { manPages } from './man-page.ts';
import { AGENT, DOCKER_SHIM } from './programs.ts';

const FACTS = { source: 'fry 1.2.3', timeSeconds: 86_400 };

function example(): Command {
  const program = new Command('fry').description('A cook.').option('-t, --heat <degrees>', '"hot", not \\warm', '90');
  program.command('egg').description('fry an egg').argument('<count>', '.5 is not a count…').option('--sunny-side-up');
  return program;
}

describe('manPages', () => {
  it('makes a page of the program and of each command', () => {
    const pages = manPages(commandTree(example()), FACTS);
    expect(pages.map(({ name }) => name)).toEqual(['fry.1', 'fry-egg.1']);
    expect(pages[0]!.text).toBe(`.TH "FRY" 1 "1970-01-02" "fry 1.2.3" "User Commands"
.SH NAME
fry \\- A cook
.SH SYNOPSIS
\\fBfry\\fR [options] [command]
.SH DESCRIPTION
A cook.
.SH OPTIONS
.TP
\\fB\\-t, \\-\\-heat <degrees>\\fR
\\(dqhot\\(dq, not \\ewarm (default: 90)
.SH COMMANDS
.TP
\\fBegg [options] <count>\\fR
fry an egg
.SH SEE ALSO
\\fBfry\\-egg\\fR(1)
`);
    expect(pages[1]!.text).toContain('.SH NAME\nfry\\-egg \\- fry an egg\n');
    expect(pages[1]!.text).toContain('\\fBcount\\fR\n\\&.5 is not a count\\[u2026]\n');
  });

  it.skipIf(!existsSync('/usr/bin/groff'))('makes pages that groff formats without a warning', () => {
    for (const { name, text } of [AGENT, DOCKER_SHIM].flatMap(({ commands }) => manPages(commands(), FACTS))) {
      const format = 'groff -man -Tutf8 -wall -z 2>&1';
      expect(execFileSync('sh', ['-c', format], { input: text, encoding: 'utf8' }), name).toBe('');
    }
  });
});
