import type { Container } from '../container.ts';

const decoder = new TextDecoder();

/** The command line of a container: its command in place of the image's entrypoint, its arguments in place of the image's. */
export function containerCommand({ config, image }: Container): readonly string[] {
  if (config.command.length > 0) return [...config.command, ...config.args];
  return [...image.entrypoint, ...(config.args.length > 0 ? config.args : image.cmd)];
}

/** The environment of a container: what every container has, then its image's variables, then its own. */
export function containerEnvironment({ config, image, sandbox }: Container): ReadonlyMap<string, string> {
  const env = new Map([
    ['PATH', '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
    ['HOSTNAME', sandbox.config.hostname],
  ]);
  for (const variable of image.env) {
    const equals = variable.indexOf('=');
    if (equals > 0) env.set(variable.slice(0, equals), variable.slice(equals + 1));
  }
  for (const { key, value } of config.envs) env.set(key, decoder.decode(value));
  return env;
}
