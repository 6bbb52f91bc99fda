import type { DNSConfig } from '@rxlet/cri-api';

/** Returns the text of a resolv.conf. Entries are single words, so that none can add a line. */
export function formatResolvConf({ servers, searches, options }: DNSConfig): string {
  const words = (list: readonly string[]): string[] => list.flatMap((entry) => entry.split(/\s+/)).filter(Boolean);
  const lines = words(servers).map((server) => `nameserver ${server}`);
  if (searches.length > 0) lines.push(`search ${words(searches).join(' ')}`);
  if (options.length > 0) lines.push(`options ${words(options).join(' ')}`);
  return `${lines.join('\n')}\n`;
}

/** Reports whether a DNS configuration has anything to write. */
export function hasDns(config: DNSConfig | undefined): config is DNSConfig {
  return config !== undefined && config.servers.length + config.searches.length + config.options.length > 0;
}
