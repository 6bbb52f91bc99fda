import { parseArgs } from 'node:util';
import { errorMessage } from '@rxlet/component-base';
import { vectorKinds } from './kinds/index.ts';
import { runVectorFile, type VectorFailure } from './run-vector-file.ts';
import { defaultDirectory, listVectorFiles, readVectorFile, VectorFileError } from './vector-files.ts';

const USAGE = `Usage: npm run parity -- [--vectors DIR] [--only NAME]...

Compares the answers of the packages with the recorded answers of a kubelet (1.36.2, default feature gates).

  --vectors DIR  run the files *.jsonl.gz of this folder (default: tools/parity/vectors)
  --only NAME    only this file, without .jsonl.gz; may be given several times
`;
/** Of each file. */
const SHOWN_FAILURES = 20;

/** Output of the command: whole lines, without their end. */
export interface Output {
  print(line: string): void;
  printError(line: string): void;
}

/** Runs the command. Resolves with the exit code: 1 when a vector failed, 2 when a file could not be run. */
export async function main(args: readonly string[], output: Output): Promise<0 | 1 | 2> {
  let options;
  let names;
  try {
    options = parseOptions(args);
    if (options.help) {
      output.print(USAGE);
      return 0;
    }
    names = chooseFiles(listVectorFiles(options.directory), options);
  } catch (error) {
    output.printError(errorMessage(error));
    if (!(error instanceof VectorFileError)) output.printError(`\n${USAGE}`);
    return 2;
  }
  let code: 0 | 1 | 2 = 0;
  for (const name of names) {
    const result = await runFile(options.directory, name, output);
    if (result > code) code = result;
  }
  return code;
}

async function runFile(directory: string, name: string, { print, printError }: Output): Promise<0 | 1 | 2> {
  const run = vectorKinds.get(name);
  if (run === undefined) {
    print(`${name}: not supported`);
    return 1;
  }
  let lines;
  try {
    lines = readVectorFile(directory, name);
  } catch (error) {
    printError(`${name}: ${errorMessage(error)}`);
    return 2;
  }
  const { passed, failures } = await runVectorFile(lines, run);
  print(`${name}: ${String(passed)} passed, ${String(failures.length)} failed`);
  if (failures.length > 0) print(describeFailures(failures));
  return failures.length > 0 ? 1 : 0;
}

/** Formats the first failures, each with its name and differences. */
export function describeFailures(failures: readonly VectorFailure[]): string {
  const shown = failures
    .slice(0, SHOWN_FAILURES)
    .flatMap(({ name, differences }) => [`  ${name}`, ...differences.map((difference) => `    ${difference}`)]);
  const hidden = failures.length - SHOWN_FAILURES;
  if (hidden > 0) shown.push(`  and ${String(hidden)} more`);
  return shown.join('\n');
}

function parseOptions(args: readonly string[]): { directory: string; only: readonly string[]; help: boolean } {
  const { vectors, only, help } = parseArgs({
    args: [...args],
    options: {
      vectors: { type: 'string' },
      only: { type: 'string', multiple: true },
      help: { type: 'boolean', short: 'h' },
    },
  }).values;
  return { directory: vectors ?? defaultDirectory, only: only ?? [], help: help ?? false };
}

function chooseFiles(
  names: readonly string[],
  { directory, only }: { directory: string; only: readonly string[] },
): readonly string[] {
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new VectorFileError(`there is no ${unknown}.jsonl.gz in ${directory}, only: ${names.join(', ')}`);
  }
  return only.length === 0 ? names : names.filter((name) => only.includes(name));
}
