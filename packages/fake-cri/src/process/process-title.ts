/** Returns the command line as `ps` shows it. nginx sets a title of its own. */
export function processTitle(argv: readonly string[]): string {
  const line = argv.join(' ');
  return commandName(argv) === 'nginx' ? `nginx: master process ${line}` : line;
}

/** Returns the name of a process: its program's, cut as by the kernel. */
export function commandName([path = '']: readonly string[]): string {
  return path.slice(path.lastIndexOf('/') + 1).slice(0, 15);
}
