import type { Logger } from '@rungar/model';
import type { Page } from '@rungar/page';

/** Says where the page is, and who can look at it where that is not this host alone. */
export function announcePage({ url, isPrivate }: Pick<Page, 'url' | 'isPrivate'>, logger: Logger): void {
  logger.info('Serving the page', { address: url });
  if (isPrivate) return;
  const hint = 'set page.listen to 127.0.0.1:9103, and reach it through a tunnel';
  logger.warn('Whoever reaches the page can look at it: it asks for no password', { address: url, hint });
}
