import { useData, withBase } from 'vitepress';
import { defineComponent, h, onMounted, ref, useId, watch } from 'vue';

/** A diagram, drawn in the reader's browser; its source until then, and without JavaScript. */
export const MermaidDiagram = defineComponent({
  props: { source: { type: String, required: true } },
  setup(props) {
    const { isDark } = useData();
    const id = `diagram-${useId()}`;
    const text = decodeURIComponent(props.source);
    const svg = ref('');

    async function draw() {
      // As Mermaid ships it, beside the pages: bundling it again would take longer than the rest of the site.
      const { default: mermaid } = await import(/* @vite-ignore */ withBase('/mermaid/mermaid.esm.min.mjs'));
      mermaid.initialize({ startOnLoad: false, securityLevel: 'strict', theme: isDark.value ? 'dark' : 'neutral' });
      svg.value = (await mermaid.render(id, text)).svg;
    }
    onMounted(draw);
    watch(isDark, draw);

    return () =>
      svg.value === '' ? h('pre', { class: 'mermaid' }, text) : h('div', { class: 'mermaid', innerHTML: svg.value });
  },
});
