import"./api.mjs";import{a as fieldNames,c as prose,d as typeOf,f as html,l as referredName,n as REFUSALS_SLUG,o as isSchema,r as pagePath,s as notesOf,u as schemaTable}from"./beside-service.mjs";import{Vr as raw,Xt as referenceStyle}from"./service.mjs";function operationSection(operation,parts){let{operationId,method,path,summary,description,parameters=[],requestBody,"x-frames":frames}=operation,{links}=parts,answers=Object.entries(operation.responses),own=answers.filter(([,{component}])=>component===void 0),refusals=answers.filter(([,{component}])=>component!==void 0);return html`
<article id="${operationId}">
<h3><a class="method ${method}" href="#${operationId}">${method}</a> <code>${path}</code></h3>
<p class="summary">${prose(summary)}</p>
${description===void 0?``:html`<p>${prose(description)}</p>`}
<p class="faint">${credentialsOf(operation)}</p>
${parameters.length===0?``:html`<h4>Parameters</h4>${parameterTable(parameters,links)}`}
${requestBody===void 0?``:html`<h4>Body${requestBody.required===!0?``:` (optional)`}</h4>${contentOf(requestBody.content,links)}${bodyTables(operation,parts)}`}
${requestBody===void 0?``:examplesOf(requestBody.content)}
${frames===void 0?``:html`<h4>Frames</h4>${contentOf(frames,links)}${examplesOf(frames)}`}
<h4>Answers</h4>
<div class="scroll"><table><thead><tr><th scope="col">Status</th><th scope="col">When</th><th scope="col">Body and headers</th></tr></thead>
<tbody>${own.map(answer=>answerRow(answer,links))}</tbody></table></div>
${refusals.length===0?``:html`<p class="faint">Refusals: ${refusals.map((refusal,index)=>html`${index>0?`, `:``}${refusalLink(refusal,links)}`)}</p>`}
${own.map(([status,{content={}}])=>examplesOf(content,status))}
</article>`}function answerRow([status,{description,content={},headers={}}],links){return html`
<tr><td><code>${status}</code></td><td>${prose(description)}</td><td>${contentOf(content,links)}${headersOf(headers)}</td></tr>`}function refusalLink([status,{component=``}],links){return html`<a href="${links.toRefusal(component)}">${status} ${component}</a>`}function refusalSection([name,{description,content={},headers={}}],links){return html`<article id="answer-${name}"><h3>${name}</h3><p>${prose(description)}</p>${contentOf(content,links)}${headersOf(headers)}${examplesOf(content)}</article>`}function headersOf(headers){return html`${Object.entries(headers).map(([name,header])=>html`<div><code>${name}</code> ${isSchema(header)?prose(header.description):``}</div>`)}`}function bodyTables({operationId,requestBody},{schemas,links,bodies}){let named=Object.values(requestBody?.content??{}).map(({schema={}})=>referredName(schema)),shown=[...new Set(named)].flatMap(name=>name!==null&&bodies.get(name)===operationId?[[name,schemas[name]??{}]]:[]);return html`${shown.map(([name,schema])=>html`<div id="schema-${name}">${schemaTable(schema,links)}</div>`)}`}function credentialsOf({security=[]}){let names=[...new Set(security.flatMap(one=>Object.keys(one)))];return names.length===0?html`No credential needed.`:html`Credential: ${names.map((name,index)=>html`${index>0?` or `:``}<a href="/docs#credentials">${name}</a>`)}`}function parameterTable(parameters,links){return html`<div class="scroll"><table>
<thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead>
<tbody>${parameters.map(one=>html`
<tr><td><code>${one.name}</code>${one.required===!0?html` <span class="needed">required</span>`:``}</td><td>${one.in}</td><td>${typeOf(one.schema,links)}</td><td>${prose(one.description)} ${notesOf(one.schema)}</td></tr>`)}</tbody></table></div>`}function contentOf(content,links){return html`${Object.entries(content).map(([type,{schema={}}])=>{let body=isSchema(schema.properties)?schemaTable(schema,links):typeOf(schema,links);return html`<div>${body} <span class="faint">${type}</span></div>`})}`}function examplesOf(content,status=``){let shown=Object.values(content).flatMap(({example,examples={}})=>[...example===void 0?[]:[[`Example`,example]],...Object.values(examples).map(one=>isSchema(one)?[String(one.summary??`Example`),one.value]:[`Example`,one])]);return html`${[...new Map(shown)].map(([summary,value])=>html`
<details><summary>${status===``?``:html`<code>${status}</code> `}${prose(summary)}</summary><pre>${typeof value==`string`?value:JSON.stringify(value,null,2)}</pre></details>`)}`}function searchNames(reference,query){let words=query.slice(0,100).toLowerCase().split(` `).filter(word=>word!==``);if(words.length===0)return[];let hasAll=text=>words.every(word=>text.toLowerCase().includes(word));return namesOf(reference).filter(({searched})=>hasAll(searched)).slice(0,100).map(({found})=>found)}function namesOf({document,pages,refusals,links}){let schemas=Object.entries(document.components.schemas);return[...pages.flatMap(({slug,operations})=>operations.map(({operationId,method,path,summary})=>{let name=`${method.toUpperCase()} ${path}`;return{found:{kind:`operation`,name,href:`${pagePath(slug)}#${operationId}`,summary},searched:`${name} ${operationId} ${summary}`}})),...schemas.map(([name,{description}])=>{let summary=typeof description==`string`?description:``;return{found:{kind:`schema`,name,href:links.toSchema(name),summary},searched:name}}),...refusals.map(([name,{description}])=>({found:{kind:`refusal`,name,href:links.toRefusal(name),summary:description},searched:name})),...schemas.flatMap(([schema,value])=>fieldNames(value).map(field=>{let name=`${schema}.${field}`;return{found:{kind:`field`,name,href:links.toSchema(schema),summary:``},searched:name}}))]}function contentsPage(reference){let{info,servers,components}=reference.document;return pageOf(reference,{title:info.title,body:html`<p class="faint">API version ${info.version}, at ${servers.map(({url})=>html`<code>${url}</code> `)}</p>
<p>${prose(info.description)} These pages are written from <a href="/openapi.json">openapi.json</a>, which any viewer of OpenAPI 3.1 opens.</p>
<h2 id="credentials">Credentials</h2>
<p>A credential is sent as <code>Authorization: Bearer …</code>.</p>
<div class="scroll"><table><tbody>${Object.entries(components.securitySchemes).map(([name,{description}])=>html`
<tr><td><code>${name}</code></td><td>${prose(description)}</td></tr>`)}</tbody></table></div>
${reference.pages.map(page=>html`<h2><a href="${pagePath(page.slug)}">${page.title}</a></h2><p>${prose(page.about)}</p>
<div class="scroll"><table><tbody>${page.operations.map(operation=>html`
<tr><td>${operationLink(operation,page.slug)}</td><td>${prose(operation.summary)}</td></tr>`)}</tbody></table></div>`)}`})}function referencePage(reference,slug){if(slug===`refusals`)return refusalsPage(reference);let shown=reference.pages.find(page=>page.slug===slug);return shown===void 0?null:nounPage(reference,shown)}function searchPage(reference,query){let found=searchNames(reference,query);return pageOf(reference,{title:`Search: ${query}`,query,body:found.length===0?html`<p>No operation, schema, field or refusal has all of these words in its name: <code>${query}</code>. The contents are at <a href="/docs">API reference</a>.</p>`:html`<p class="faint">${found.length===1?`1 name`:`${found.length} names`}</p>
<div class="scroll"><table><tbody>${found.map(({kind,name,href,summary})=>html`
<tr><td>${kind}</td><td><a href="${href}"><code>${name}</code></a></td><td>${prose(summary)}</td></tr>`)}</tbody></table></div>`})}function nounPage(reference,shown){let{links,document}=reference,parts={links,schemas:document.components.schemas,bodies:shown.bodies};return pageOf(reference,{title:shown.title,shown,body:html`<p>${prose(shown.about)}</p>
<h2>Operations</h2>
${shown.operations.map(operation=>operationSection(operation,parts))}
${shown.schemas.length===0?``:html`<h2>Schemas</h2>`}
${shown.schemas.map(([name,schema])=>html`<article id="schema-${name}"><h3>${name}</h3>${schemaTable(schema,links)}</article>`)}`})}function refusalsPage(reference){return pageOf(reference,{title:`Refusals`,body:html`<p>What every operation may answer. The code says what it is, for programs.</p>
<h2>By name</h2>
${reference.refusals.map(refusal=>refusalSection(refusal,reference.links))}`})}async function pageOf({document,pages},{title,body,shown,query=``}){let nouns=[...pages,{slug:REFUSALS_SLUG,title:`Refusals`}],page=html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title===document.info.title?``:`${title} · `}${document.info.title}: API reference</title>
<link rel="icon" href="data:,">
<style>${raw(referenceStyle)}</style>
</head>
<body>
<nav aria-label="Contents">
<form action="/docs" role="search"><input type="search" name="q" value="${query}" maxlength="${100}" aria-label="Search names" placeholder="Search names"><button>Search</button></form>
<h2><a href="/docs">API reference</a></h2>
<ul>${nouns.map(noun=>html`<li><a href="${pagePath(noun.slug)}"${noun.title===title?html` aria-current="page"`:``}>${noun.title}</a></li>`)}</ul>
${shown===void 0?``:linksWithin(shown)}
</nav>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;return String(await page)}function linksWithin({slug,operations,schemas}){return html`<h2>Operations</h2><ul>${operations.map(operation=>html`<li>${operationLink(operation,slug)}</li>`)}</ul>
${schemas.length===0?``:html`<h2>Schemas</h2><ul>${schemas.map(([name])=>html`<li><a href="#schema-${name}">${name}</a></li>`)}</ul>`}`}function operationLink({operationId,method,path},slug){return html`<a href="${pagePath(slug)}#${operationId}"><span class="method ${method}">${method}</span> ${breakable(path)}</a>`}function breakable(path){return html`${path.split(`/`).map((part,index)=>index===0?part:html`<wbr>/${part}`)}`}export{contentsPage,referencePage,searchPage};