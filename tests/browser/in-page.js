// Runs in the browser, beside the page under test: what only the page itself can tell.

/** @param {string} selector */
const all = (selector) => [...document.querySelectorAll(selector)];

/** What has the focus, and whether that shows. */
function focused() {
  const at = document.activeElement ?? document.body;
  const what = at.id || at.closest('section')?.id || at.textContent || at.tagName;
  return { what, outline: getComputedStyle(at).outlineStyle, top: at.getBoundingClientRect().top };
}

/** What is wider than the screen, and where the sections begin. */
function widths() {
  return {
    page: document.documentElement.scrollWidth,
    parts: all('body *')
      .filter((part) => part.getClientRects().length > 0 && part.getBoundingClientRect().right > innerWidth + 0.5)
      .map((part) => part.tagName + (part.id && `#${part.id}`)),
    lefts: [...new Set(all('main > section').map((part) => part.getBoundingClientRect().left))],
  };
}

/** @type {number[]} */
const tasks = [];

/** Notes each task of more than 50 ms from now on. */
function watchTasks() {
  const observer = new PerformanceObserver((found) =>
    tasks.push(...found.getEntries().map(({ duration }) => duration)),
  );
  observer.observe({ type: 'longtask' });
}

const work = () => ({ tasks, nodes: all('*').length });

/** @param {string} color */
const partsOf = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);

/** @param {string} color */
function luminance(color) {
  const [r = 0, g = 0, b = 0] = partsOf(color).map((part) => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The colour that an element stands on. @param {Element | null} element */
function ground(element) {
  for (let at = element; at; at = at.parentElement) {
    const color = getComputedStyle(at).backgroundColor;
    if (partsOf(color)[3] !== 0) return color;
  }
  return 'rgb(255, 255, 255)';
}

/** Texts that stand out too little from what is behind them: less than 4.5 to 1. */
function contrastsOfTexts() {
  const texts = all('body *').filter(
    (element) =>
      element.getClientRects().length > 0 &&
      [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim()),
  );
  const tooWeak = texts.flatMap((element) => {
    const [a, b] = [luminance(getComputedStyle(element).color), luminance(ground(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return contrast < 4.5 ? [`${element.textContent?.slice(0, 30)}: ${contrast.toFixed(1)}`] : [];
  });
  return { background: luminance(ground(document.body)) > 0.5 ? 'light' : 'dark', texts: texts.length, tooWeak };
}

/** What an element is called by those who cannot see it. @param {Element} element */
function nameOf(element) {
  const ids = (element.getAttribute('aria-labelledby') ?? '').split(' ');
  const named = ids.map((id) => document.getElementById(id)?.textContent ?? '').join(' ');
  return element.getAttribute('aria-label') || named.trim();
}

/** What keeps some people out. */
function faultsOfAccess() {
  const ids = all('[id]').map(({ id }) => id);
  const levels = all('h1, h2, h3').map(({ tagName }) => Number(tagName[1]));
  /** @param {string} selector @param {(element: Element) => unknown} isFault @param {string} fault */
  const faults = (selector, isFault, fault) =>
    all(selector)
      .filter(isFault)
      .map((element) => `${element.tagName} "${element.textContent?.slice(0, 20)}" ${fault}`);
  return [
    ...(document.documentElement.lang === '' ? ['no language'] : []),
    ...(all('h1').length === 1 && all('main').length === 1 ? [] : ['not one title and one main part']),
    ...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${id} twice`),
    ...levels.flatMap((level, at) => (level > (levels[at - 1] ?? 0) + 1 ? [`a title of level ${level} too deep`] : [])),
    ...faults('section, nav, [role=group]', (part) => !nameOf(part), 'has no name'),
    ...faults('a, button, summary', (part) => !part.textContent?.trim(), 'has no text'),
    ...faults('input', (part) => part instanceof HTMLInputElement && part.labels?.length === 0, 'has no label'),
    ...faults('svg', (part) => part.getAttribute('aria-hidden') !== 'true' && !nameOf(part), 'has no name'),
    ...faults('th', (part) => !part.hasAttribute('scope'), 'heads nothing'),
    ...faults('a', (part) => !document.getElementById((part.getAttribute('href') ?? '').slice(1)), 'leads nowhere'),
    ...faults('[tabindex]', (part) => part instanceof HTMLElement && part.tabIndex > 0, 'has a place of its own'),
    ...faults(
      'button, summary, input, nav a',
      (part) => part.getClientRects().length > 0 && part.getBoundingClientRect().height < 24,
      'is too small to be hit',
    ),
  ];
}

Object.assign(globalThis, { inPage: { focused, widths, watchTasks, work, contrastsOfTexts, faultsOfAccess } });
