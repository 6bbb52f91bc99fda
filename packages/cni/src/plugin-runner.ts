import { join } from 'node:path';
import { type Clock, DeadlineExceededError, errorMessage, withDeadline } from '@rxlet/component-base';
import type { HostFiles } from '@rxlet/node-files';
import type { Attachment } from './attachment.ts';
import { CniError } from './cni-error.ts';
import { type JsonObject, parseJsonObject, stringOf } from './json.ts';
import { type CniCommand, pluginEnvironment } from './plugin-request.ts';
import type { ProcessEnd, RunProcess } from './run-process.ts';

/** A call of a plugin. */
export interface PluginCall {
  readonly type: string;
  readonly command: CniCommand;
  readonly input: string;
  readonly attachment?: Attachment;
}

/** Executes plugins. */
export interface PluginRunner {
  /** Returns the plugin's answer; `undefined` when it printed nothing. @throws CniError */
  run(call: PluginCall, signal?: AbortSignal): Promise<JsonObject | undefined>;
  /** Returns the path of a plugin's program, and a text that differs when another program took its place. @throws CniError */
  find(type: string): Promise<{ readonly path: string; readonly version: string }>;
}

/** Ports and settings of a {@link PluginRunner}. */
export interface PluginRunnerOptions {
  readonly clock: Clock;
  readonly hostFiles: HostFiles;
  readonly runProcess: RunProcess;
  readonly pluginFolders: readonly string[];
  /** Environment of plugins besides the variables of the specification. */
  readonly environment: Readonly<Record<string, string>>;
  /** Deadline of a plugin. */
  readonly timeoutMs: number;
}

const MAX_OUTPUT_BYTES = 1024 * 1024;
const EXECUTABLE = 0o111;

/** Creates a {@link PluginRunner}. */
export function createPluginRunner(options: PluginRunnerOptions): PluginRunner {
  const { clock, hostFiles, runProcess, pluginFolders, environment, timeoutMs } = options;
  const find: PluginRunner['find'] = async (type) => {
    for (const folder of pluginFolders) {
      const path = join(folder, type);
      const info = await hostFiles.stat(path);
      if (info?.kind === 'file' && (info.mode & EXECUTABLE) !== 0) return { path, version: info.version };
    }
    throw new CniError('PluginNotFound', `failed to find plugin "${type}" in path [${pluginFolders.join(' ')}]`);
  };
  return {
    find,
    async run({ type, command, input, attachment }, signal) {
      const { path } = await find(type);
      const subject = `plugin type="${type}" failed (${command.toLowerCase()})`;
      const request = {
        path,
        environment: { ...environment, ...pluginEnvironment(command, pluginFolders, attachment) },
        stdin: input,
        maxOutputBytes: MAX_OUTPUT_BYTES,
      };
      let end: ProcessEnd;
      try {
        end = await withDeadline(clock, timeoutMs, signal, (deadline) => runProcess(request, deadline));
      } catch (error) {
        signal?.throwIfAborted();
        const reason = error instanceof DeadlineExceededError ? 'DeadlineExceeded' : 'PluginFailed';
        throw new CniError(reason, `${subject}: ${errorMessage(error)}`, { cause: error });
      }
      if (end.exitCode !== 0) throw pluginFailure(subject, end);
      if (end.stdout.trim() === '') return undefined;
      try {
        return parseJsonObject(end.stdout);
      } catch (error) {
        throw new CniError('PluginFailed', `${subject}: cannot read its answer: ${errorMessage(error)}`, {
          cause: error,
        });
      }
    },
  };
}

/** Returns the error of a plugin that failed. It should be a JSON object on standard output, but may be plain text, or nothing. */
function pluginFailure(subject: string, { exitCode, signal, stdout, stderr }: ProcessEnd): CniError {
  const answer = answerOf(stdout);
  const message = stringOf(answer?.['msg']);
  if (answer !== undefined && message !== undefined) {
    const details = stringOf(answer['details']) ?? '';
    const code = typeof answer['code'] === 'number' ? answer['code'] : undefined;
    const text = details === '' ? message : `${message}; ${details}`;
    return new CniError('PluginFailed', `${subject}: ${text}`, { code });
  }
  const output = [stdout, stderr].map((text) => text.trim()).filter(Boolean);
  const ended = signal === undefined ? `exit status ${String(exitCode)}` : `signal ${signal}`;
  return new CniError('PluginFailed', `${subject}: ${[...output, ended].join('; ')}`);
}

function answerOf(stdout: string): JsonObject | undefined {
  try {
    return parseJsonObject(stdout);
  } catch {
    return undefined;
  }
}
